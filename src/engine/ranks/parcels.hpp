// Records from every rank to any other, in turns, so that no message gets too long.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/ranks/exchange.hpp"

namespace kiln {

// Of all messages of a turn together.
inline constexpr std::size_t kParcelBytes = std::size_t(64) << 20;

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

// The same for `count` records: make(i) goes to rank to(i), and take(record) gets what comes.
template <class Record, class To, class Make, class Take>
void send_records(Exchange& exchange, std::size_t count, const To& to, const Make& make, const Take& take) {
  std::size_t next = 0;
  send_parcels(
      exchange,
      [&](std::vector<Message>& messages) {
        const std::size_t end = std::min(count, next + kParcelBytes / sizeof(Record));
        for (; next < end; ++next) append(messages[std::size_t(to(next))], Record(make(next)));
        return next == count;
      },
      [&](Reading message) {
        while (!message.done()) take(message.take<Record>());
      });
}

}  // namespace kiln
