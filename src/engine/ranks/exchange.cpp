#include "engine/ranks/exchange.hpp"

namespace kiln {

std::vector<Message> tell_all(Exchange& exchange, const Message& message) {
  std::vector<int> others;
  for (int rank = 0; rank < exchange.ranks(); ++rank)
    if (rank != exchange.rank()) others.push_back(rank);
  std::vector<Message> out(others.size(), message), in;
  exchange.swap(others, out, in);
  in.insert(in.begin() + exchange.rank(), message);
  return in;
}

std::string first_text(Exchange& exchange, const std::string& here) {
  if (!exchange.any(!here.empty())) return "";
  const auto* const bytes = reinterpret_cast<const std::byte*>(here.data());
  for (const Message& said : tell_all(exchange, {bytes, bytes + here.size()}))
    if (!said.empty()) return {reinterpret_cast<const char*>(said.data()), said.size()};
  return here;
}

}  // namespace kiln
