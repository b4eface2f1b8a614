#include "engine/ranks/crew.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace kiln {
namespace {

constexpr int kLead[] = {0};
constexpr std::size_t kMostBytes = std::size_t(1) << 28;  // in one message

void append_text(Message& message, const std::string& text) {
  append(message, uint64_t(text.size()));
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  message.insert(message.end(), bytes, bytes + text.size());
}

std::string take_text(Reading& message) {
  const auto length = std::size_t(message.take<uint64_t>());
  return {reinterpret_cast<const char*>(message.take_bytes(length)), length};
}

// The first line in which two texts differ, of the second.
std::string first_difference(const std::string& one, const std::string& other) {
  const auto at =
      std::size_t(std::mismatch(one.begin(), one.end(), other.begin(), other.end()).second - other.begin());
  const std::size_t line = at == 0 ? 0 : other.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  return other.substr(line, other.find('\n', line) - line);
}

}  // namespace

int fair_threads(int cores, int cores_of_machine, int ranks_here) {
  const bool has_its_own = cores < cores_of_machine;
  return std::max(1, has_its_own ? cores : cores / std::max(1, ranks_here));
}

Crew::Crew(std::unique_ptr<Processes> processes) : processes_(std::move(processes)) {
  for (int rank = 1; rank < ranks(); ++rank) others_.push_back(rank);
}

std::vector<Message> Crew::hear_from_all(const Message& message) {
  std::vector<Message> out(others_.size(), message), in;
  processes_->swap(others_, out, in);
  return in;
}

// True where the first rank needs this one.
bool Crew::show_badge(const std::string& plan, const std::string& why_not) {
  std::vector<Message> out(1), in;
  append_text(out[0], processes_->version());
  append_text(out[0], processes_->host());
  append_text(out[0], why_not);
  append_text(out[0], plan);
  processes_->swap(kLead, out, in);
  out[0].clear();
  processes_->swap(kLead, out, in);
  return Reading(in[0]).take<uint32_t>() != 0;
}

bool Crew::meet(const std::string& plan) {
  has_met_ = true;
  if (!leads()) return is_manned_ = show_badge(plan, "");
  std::string refused;
  const std::vector<Message> badges = hear_from_all({});
  for (std::size_t i = 0; i < badges.size() && refused.empty(); ++i) {
    Reading badge(badges[i]);
    const std::string version = take_text(badge), host = take_text(badge), why_not = take_text(badge),
                      its_plan = take_text(badge);
    const std::string who = fmt::format("rank {} on {}", others_[i], host);
    if (version != processes_->version())
      refused = fmt::format("{} has Kiln {}, but rank 0 on {} has {}.", who, version, processes_->host(),
                            processes_->version());
    else if (!why_not.empty())
      refused = fmt::format("{}: {}", who, why_not);
    else if (its_plan != plan && !plan.empty())
      refused = fmt::format("{} has another model or other options than rank 0 on {}: \"{}\".", who,
                            processes_->host(), first_difference(plan, its_plan));
  }
  is_manned_ = refused.empty() && !plan.empty();
  Message verdict;
  append(verdict, uint32_t(is_manned_));
  hear_from_all(verdict);
  if (!refused.empty() && !plan.empty()) throw UserError(refused);
  return true;
}

void Crew::stay_away(const std::string& why) {
  if (leads())
    meet("");
  else
    show_badge("", why.empty() ? "it had to give up." : why);
  has_met_ = true;
}

void Crew::order(Order order, int64_t value) {
  is_busy_ = true;
  is_manned_ = order != Order::leave;
  Message message;
  append(message, order);
  append(message, value);
  hear_from_all(message);
}

std::vector<Message> Crew::answers() {
  std::vector<Message> answers = hear_from_all({});
  is_busy_ = false;
  return answers;
}

std::pair<Order, int64_t> Crew::next_order() {
  std::vector<Message> out(1), in;
  processes_->swap(kLead, out, in);
  Reading message(in[0]);
  const auto order = message.take<Order>();
  return {order, message.take<int64_t>()};
}

void Crew::answer(Message&& message) {
  std::vector<Message> out, in;
  out.push_back(std::move(message));
  processes_->swap(kLead, out, in);
}

void Crew::send(int to, std::span<const std::byte> bytes) {
  std::vector<Message> out(1), in;
  for (std::size_t at = 0; at < bytes.size(); at += kMostBytes) {
    const auto piece = bytes.subspan(at, std::min(kMostBytes, bytes.size() - at));
    out[0].assign(piece.begin(), piece.end());
    processes_->swap(std::span(&to, 1), out, in);
  }
}

void Crew::receive(int from, std::span<std::byte> bytes) {
  std::vector<Message> out(1), in;
  for (std::size_t at = 0; at < bytes.size();) {
    out[0].clear();
    processes_->swap(std::span(&from, 1), out, in);
    std::memcpy(bytes.data() + at, in[0].data(), in[0].size());
    at += in[0].size();
  }
}

}  // namespace kiln
