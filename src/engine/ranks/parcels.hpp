// Records from every rank to any other, in turns, so that no message gets too long.
#pragma once

#include <vector>

#include "engine/ranks/exchange.hpp"

namespace kiln {

// By all ranks at once. fill(messages) appends to the messages, one for every rank, some of what there is,
// and says whether that was all. take(reading) is called for every message that is not empty, those of a turn
// by rising rank of the sender.
template <class Fill, class Take>
void send_parcels(Exchange& exchange, const Fill& fill, const Take& take) {
  const int here = exchange.rank(), ranks = exchange.ranks();
  std::vector<int> others;
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != here) others.push_back(rank);
  std::vector<Message> messages(static_cast<std::size_t>(ranks)), out(others.size()), in;
  for (bool done = false; exchange.any(!done);) {
    for (Message& message : messages) message.clear();
    if (!done) done = fill(messages);
    for (std::size_t i = 0; i < others.size(); ++i) out[i].swap(messages[std::size_t(others[i])]);
    exchange.swap(others, out, in);
    for (int rank = 0; rank < ranks; ++rank) {
      const Message& message =
          rank == here ? messages[std::size_t(here)] : in[std::size_t(rank < here ? rank : rank - 1)];
      if (!message.empty()) take(Reading(message));
    }
  }
}

// Of all messages of a turn together.
inline constexpr std::size_t kParcelBytes = std::size_t(64) << 20;

}  // namespace kiln
