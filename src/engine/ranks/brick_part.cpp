#include "engine/ranks/brick_part.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/neighbourhood.hpp"
#include "engine/ranks/sent.hpp"

namespace kiln {

static_assert(kMaxNeighbours < 1 << (SentCopy::kPerimeterBits - 1));

BrickPart::BrickPart(TissuePart& tissue, Sharing& sharing, Exchange& exchange, int members)
    : tissue_(tissue), sharing_(sharing), exchange_(exchange), told_(std::size_t(members)) {
  for (auto& of_member : told_) of_member.resize(sharing.partners().size());
}

void BrickPart::refresh() {
  sharing_.refresh(traffic_);
  for (auto& of_member : told_) of_member.resize(sharing_.partners().size());
}

void BrickPart::send_copy(std::size_t member, const Vec3i& target, CellId winner, CellId loser,
                          int16_t winner_perimeter, int16_t loser_perimeter) {
  const SentCopy copy(index_in(tissue_.brick.own_stored(), target), tissue_.number[winner],
                      tissue_.number[loser], winner_perimeter, loser_perimeter);
  const std::vector<int>&a = sharing_.sharers_of(winner), &b = sharing_.sharers_of(loser);
  for (const int partner : a) append(told_[member][std::size_t(partner)], copy);
  if (&a == &b) return;
  for (const int partner : b)
    if (std::find(a.begin(), a.end(), partner) == a.end()) append(told_[member][std::size_t(partner)], copy);
}

void BrickPart::tell_claim(std::size_t member, CellId cell, uint32_t priority) {
  for (const int partner : sharing_.sharers_of(cell))
    append(told_[member][std::size_t(partner)], SentClaim{tissue_.number[cell], priority});
}

void BrickPart::swap(int64_t Traffic::*kind) {
  out_.resize(sharing_.partners().size());
  for (std::size_t p = 0; p < out_.size(); ++p) {
    out_[p].clear();
    for (auto& of_member : told_) {
      out_[p].insert(out_[p].end(), of_member[p].begin(), of_member[p].end());
      of_member[p].clear();
    }
    traffic_.*kind += int64_t(out_[p].size());
  }
  traffic_.swaps += 1;
  exchange_.swap(sharing_.partners(), out_, in_);
}

void BrickPart::swap_copies() {
  swap(&Traffic::copies);
  heard_.clear();
  const Lattice& stored = tissue_.state.lattice;
  const auto own_id = [&](CellId number) {
    return number == kMedium ? kMedium : tissue_.own_id.find(number);
  };
  for (std::size_t p = 0; p < in_.size(); ++p) {
    const Box brick = tissue_.grid.brick(sharing_.partners()[p]);
    for (Reading message(in_[p]); !message.done();) {
      const auto copy = message.take<SentCopy>();
      const Vec3i target = tissue_.stored_place(place_in(brick, copy.target()));
      const Heard heard{target,
                        stored.contains(target),
                        own_id(copy.winner),
                        own_id(copy.loser),
                        copy.winner_perimeter(),
                        copy.loser_perimeter()};
      if (heard.is_stored && (heard.winner == kMedium) != (copy.winner == kMedium))
        throw std::logic_error("a brick heard of a cell that it does not know");
      heard_.push_back(heard);
    }
  }
}

void BrickPart::swap_claims() {
  swap(&Traffic::claims);
  claims_.clear();
  for (const Message& bytes : in_)
    for (Reading message(bytes); !message.done();) {
      const auto claim = message.take<SentClaim>();
      claims_.push_back({tissue_.own_id.find(claim.cell), claim.priority});
    }
}

void BrickPart::unite_sums(const BetweenMcs::Moved& moved) {
  Cells& cells = tissue_.state.cells;
  const bool has_moments = !cells.moments.empty();
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    if (!moved[cell] || tissue_.here[cell] == 0) continue;
    const SentSums sums{tissue_.number[cell], 0, cells.centroid[cell].sum,
                        has_moments ? cells.moments[cell] : Moments{}};
    for (const int partner : sharing_.sharers_of(cell)) append(told_[0][std::size_t(partner)], sums);
  }
  swap(&Traffic::sums);
  for (const Message& bytes : in_)
    for (Reading message(bytes); !message.done();) {
      const auto sums = message.take<SentSums>();
      const CellId cell = tissue_.own_id.find(sums.cell);
      for (int axis = 0; axis < 3; ++axis) cells.centroid[cell].sum[axis] += sums.sum[axis];
      if (!has_moments) continue;
      for (int k = 0; k < Moments::kMost; ++k) cells.moments[cell].of[k] += sums.moments.of[k];
    }
}

}  // namespace kiln
