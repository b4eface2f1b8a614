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

}  // namespace kiln
