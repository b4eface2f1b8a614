#include "engine/cuda/ranks/mail.hpp"

#include <algorithm>
#include <optional>

namespace kiln::cuda {
namespace {

constexpr int64_t kSlack = 1 << 10, kOverflowSlack = 1 << 16;  // bytes
// What there is to tell in a round is a small part of what there could be.
constexpr int64_t kPartOnDevice = 8;

int64_t with_slack(int64_t bytes, int64_t slack) { return bytes + bytes / 4 + slack; }

}  // namespace

// What each of them lets the others see.
class PeerGroup {
 public:
  explicit PeerGroup(int ranks) : seats_(std::size_t(ranks)) {}

  struct Seat {
    std::vector<int> partners;  // in the order of the outboxes
    std::vector<Outbox> boxes[2];
    const uint32_t* sent[2] = {nullptr, nullptr};
    std::optional<Event> told[2];
  };
  Seat& of(int rank) { return seats_[std::size_t(rank)]; }

 private:
  std::vector<Seat> seats_;
};

std::shared_ptr<PeerGroup> make_peer_group(int ranks, const std::vector<int>& devices) {
  for (const int one : devices)
    for (const int other : devices)
      if (!Device(one).reach(Device(other))) return nullptr;
  return std::make_shared<PeerGroup>(ranks);
}

Mail::Mail(const Device& device, const Stream& stream, Exchange& exchange, const BrickGrid& grid,
           std::shared_ptr<PeerGroup> peers)
    : device_(device), stream_(stream), exchange_(exchange), grid_(grid), peers_(std::move(peers)) {
  for (int turn = 0; turn < 2; ++turn) {
    outboxes_[turn] = Buffer<Outbox>(device_, kMostPartners, "messages");
    inboxes_[turn] = Buffer<Inbox>(device_, kMostPartners, "messages");
    sent_[turn] = Buffer<uint32_t>(device_, kMostPartners, "messages");
    sent_[turn].fill(0);
    if (peers_) peers_->of(exchange_.rank()).told[turn].emplace(device_);
  }
  overflowed_ = Buffer<uint64_t>(device_, kMostPartners, "messages");
  overflowed_.fill(0);
  needed_ = Pinned<uint64_t>(device_, kMostPartners);
  std::fill_n(needed_.data(), kMostPartners, 0);
  if (!peers_) {
    heard_ = Buffer<uint32_t>(device_, kMostPartners, "messages");
    counts_ = Pinned<uint32_t>(device_, kMostPartners);
  }
}

Mail::~Mail() = default;

void Mail::give(BrickTables& tables) const {
  tables.outboxes = outboxes_[turn_].data();
  tables.sent = sent_[turn_].data();
  tables.overflowed = overflowed_.data();
  tables.sent_before = sent_[1 - turn_].data();
}

void Mail::fit(const std::vector<int>& partners, const std::vector<int64_t>& bytes) {
  retired_.clear();
  bool changed = partners != partners_;
  partners_ = partners;
  for (int turn = 0; turn < 2; ++turn) {
    out_[turn].resize(partners.size());
    overflow_[turn].resize(partners.size());
    std::vector<Outbox> boxes;
    for (std::size_t p = 0; p < partners.size(); ++p) {
      Buffer<uint8_t>& box = out_[turn][p];
      Pinned<uint8_t>& overflow = overflow_[turn][p];
      const int64_t needed =
          std::max(box.size() == 0 ? bytes[p] / kPartOnDevice : 0, int64_t(needed_[int64_t(p)]));
      if (box.size() < needed || box.size() == 0) {
        box = {};
        box = Buffer<uint8_t>(device_, with_slack(needed, kSlack), "messages");
        changed = true;
      }
      if (overflow.size() < bytes[p]) {
        retired_.push_back(std::move(overflow));
        overflow = Pinned<uint8_t>(device_, with_slack(bytes[p], kOverflowSlack));
        changed = true;
      }
      boxes.push_back({box.data(), overflow.data(), uint64_t(box.size()), uint64_t(overflow.size())});
    }
    if (changed) outboxes_[turn].upload(boxes.data(), int64_t(boxes.size()));
  }
  if (peers_ && exchange_.any(changed)) tell_where();
  if (!peers_ && changed) in_.resize(partners.size());
}

// Where partners find what is told to them; and where this rank finds what they tell.
void Mail::tell_where() {
  PeerGroup::Seat& mine = peers_->of(exchange_.rank());
  mine.partners = partners_;
  for (int turn = 0; turn < 2; ++turn) {
    mine.boxes[turn].clear();
    for (std::size_t p = 0; p < partners_.size(); ++p)
      mine.boxes[turn].push_back({out_[turn][p].data(), overflow_[turn][p].data(),
                                  uint64_t(out_[turn][p].size()), uint64_t(overflow_[turn][p].size())});
    mine.sent[turn] = sent_[turn].data();
  }
  exchange_.sum(0);  // all have told
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<Inbox> boxes;
    for (const int rank : partners_) {
      const PeerGroup::Seat& theirs = peers_->of(rank);
      const auto place = std::find(theirs.partners.begin(), theirs.partners.end(), exchange_.rank()) -
                         theirs.partners.begin();
      const Outbox& box = theirs.boxes[turn][std::size_t(place)];
      boxes.push_back({box.records, box.overflow, box.bytes, box.overflow_bytes, theirs.sent[turn] + place,
                       grid_.brick(rank)});
    }
    const auto same = [](const Inbox& a, const Inbox& b) {
      return a.records == b.records && a.overflow == b.overflow && a.bytes == b.bytes &&
             a.overflow_bytes == b.overflow_bytes && a.count == b.count;
    };
    if (std::equal(boxes.begin(), boxes.end(), seen_[turn].begin(), seen_[turn].end(), same)) continue;
    inboxes_[turn].upload(boxes.data(), int64_t(boxes.size()));
    seen_[turn] = boxes;
  }
  exchange_.sum(0);  // nobody changes anything before all have read
}

void Mail::look_for_overflow() {
  overflowed_.download(needed_.data(), kMostPartners, 0, &stream_);
  overflowed_.fill(0, &stream_);
}

void Mail::forget_overflow() { overflowed_.fill(0, &stream_); }

void Mail::swap(std::size_t record_bytes) {
  if (peers_)
    swap_with_peers();
  else if (DeviceExchange* const direct = exchange_.of_device_memory())
    swap_over_device(*direct, record_bytes);
  else
    swap_over_host(record_bytes);
  turn_ = 1 - turn_;
}

void Mail::swap_with_peers() {
  peers_->of(exchange_.rank()).told[turn_]->record(stream_);
  exchange_.sum(0);  // an event that was not recorded yet would hold nobody back
  for (const int rank : partners_) peers_->of(rank).told[turn_]->hold_back(stream_);
}

// Into counts_; all kernels before have ended then.
void Mail::count_told() {
  sent_[turn_].download(counts_.data(), int64_t(partners_.size()), 0, &stream_);
  stream_.synchronize();
}

// Starts copying a partner's message to the host: the outbox, then its overflow.
std::span<std::byte> Mail::bring_over(std::size_t partner, std::size_t record_bytes) {
  const auto each = int64_t(record_bytes);
  const int64_t on_device = out_[turn_][partner].size() / each,
                beyond = overflow_[turn_][partner].size() / each;
  const int64_t records = std::min<int64_t>(counts_[int64_t(partner)], on_device + beyond);
  const int64_t from_device = std::min(records, on_device) * each;
  messages_out_[partner].resize(std::size_t(records * each));
  auto* const to = reinterpret_cast<uint8_t*>(messages_out_[partner].data());
  out_[turn_][partner].download(to, from_device, 0, &stream_);
  std::copy_n(overflow_[turn_][partner].data(), records * each - from_device, to + from_device);
  return messages_out_[partner];
}

uint8_t* Mail::room_for(std::size_t partner, std::size_t bytes, std::size_t record_bytes) {
  Buffer<uint8_t>& in = in_[partner];
  if (in.size() < int64_t(bytes) || in.size() == 0)
    in = Buffer<uint8_t>(device_, 2 * int64_t(bytes) + 4096, "messages");
  counts_[int64_t(partner)] = uint32_t(bytes / record_bytes);
  return in.data();
}

void Mail::show_inboxes() {
  const auto count = int64_t(partners_.size());
  std::vector<Inbox> boxes;
  for (std::size_t p = 0; p < partners_.size(); ++p)
    boxes.push_back(
        {in_[p].data(), nullptr, uint64_t(in_[p].size()), 0, heard_.data() + p, grid_.brick(partners_[p])});
  heard_.upload(counts_.data(), count, 0, &stream_);
  inboxes_[turn_].upload(boxes.data(), count, 0, &stream_);
  stream_.synchronize();  // what was copied up is written again by the next swap
}

void Mail::swap_over_host(std::size_t record_bytes) {
  count_told();
  messages_out_.resize(partners_.size());
  for (std::size_t p = 0; p < partners_.size(); ++p) bring_over(p, record_bytes);
  stream_.synchronize();
  exchange_.swap(partners_, messages_out_, messages_in_);
  for (std::size_t p = 0; p < partners_.size(); ++p) {
    const Message& message = messages_in_[p];
    room_for(p, message.size(), record_bytes);
    in_[p].upload(reinterpret_cast<const uint8_t*>(message.data()), int64_t(message.size()), 0, &stream_);
  }
  show_inboxes();
}

// From one GPU to another, but where an outbox had too little room.
void Mail::swap_over_device(DeviceExchange& exchange, std::size_t record_bytes) {
  count_told();
  messages_out_.resize(partners_.size());
  std::vector<std::span<const std::byte>> out;
  for (std::size_t p = 0; p < partners_.size(); ++p) {
    const auto* const box = reinterpret_cast<const std::byte*>(out_[turn_][p].data());
    const std::size_t bytes = counts_[int64_t(p)] * record_bytes;
    out.push_back(bytes <= std::size_t(out_[turn_][p].size()) ? std::span(box, bytes)
                                                              : bring_over(p, record_bytes));
  }
  stream_.synchronize();
  exchange.swap(partners_, out, [&](std::size_t p, std::size_t bytes) {
    return reinterpret_cast<std::byte*>(room_for(p, bytes, record_bytes));
  });
  show_inboxes();
}

int64_t Mail::told_last() const {
  std::vector<uint32_t> counts(kMostPartners);
  sent_[1 - turn_].download(counts.data(), kMostPartners);
  int64_t sum = 0;
  for (const uint32_t count : counts) sum += count;
  return sum;
}

}  // namespace kiln::cuda
