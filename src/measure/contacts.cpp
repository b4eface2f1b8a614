#include "measure/contacts.hpp"

#include <algorithm>
#include <limits>

#include "engine/host/survey/counts.hpp"

namespace kiln {
void ContactMatrix::add(int a, int b, int64_t contacts) {
  count_[std::size_t(a) * types_ + b] += contacts;
  if (a != b) count_[std::size_t(b) * types_ + a] += contacts;
}

int64_t ContactMatrix::interface_of(int type) const {
  int64_t sum = at(type, type);
  for (int other = 0; other < types_; ++other) sum += at(type, other);
  return sum;
}

double ContactMatrix::fraction(int a, int b) const {
  const int64_t all = interface_of(a);
  if (all == 0) return std::numeric_limits<double>::quiet_NaN();
  return double(a == b ? 2 * at(a, a) : at(a, b)) / double(all);
}

ContactMatrix contact_matrix(const Look& look, int types, int threads) {
  LatticeSurvey* const survey = look.survey();
  const std::vector<int64_t> counts =
      survey != nullptr ? survey->contacts()
                        : count_contacts(look.state(), whole_box(look.lattice()), types, threads);
  ContactMatrix result(types);
  for (int a = 0; a < types; ++a)
    for (int b = 0; b < types; ++b) result.add(a, b, counts[std::size_t(a) * types + b]);
  return result;
}

Interface interface_by_kind(const ContactMatrix& contacts, const std::vector<bool>& frozen) {
  Interface result;
  for (int a = 1; a < contacts.types(); ++a) {
    if (frozen[a]) continue;
    result.homotypic += contacts.at(a, a);
    result.with_medium += contacts.at(a, 0);
    for (int b = 1; b < contacts.types(); ++b) {
      if (frozen[b])
        result.with_frozen += contacts.at(a, b);
      else if (b > a)
        result.heterotypic += contacts.at(a, b);
    }
  }
  return result;
}

}  // namespace kiln
