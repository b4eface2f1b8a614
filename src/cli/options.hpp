// Kinds of options: numbers and choices that are refused in our own sentences.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace kiln {

// An integer between `low` and `high`, also written as 1e3.
template <class Whole>
CLI::Option* add_whole(CLI::App& command, const std::string& name, Whole& to, int64_t low, int64_t high,
                       const std::string& what) {
  return command
      .add_option_function<std::string>(
          name,
          [=, &to](const std::string& text) {
            const std::optional<int64_t> given = whole_in(text);
            if (!given || *given < low || *given > high)
              throw UserError(
                  fmt::format("{} is {}, but must be an integer between {} and {}.", name, text, low, high));
            if constexpr (std::is_integral_v<Whole>)
              to = Whole(*given);
            else
              to = typename Whole::value_type(*given);
          },
          what)
      ->type_name("INT");
}
inline constexpr int64_t kMostPart = 1'000'000;  // channels and times, as in models
inline constexpr int64_t kMostMcs = 1'000'000'000'000, kMostSeed = std::numeric_limits<int64_t>::max();

template <class Choice, class To>
CLI::Option* add_choice(CLI::App& command, const std::string& name, To& to,
                        std::map<std::string, Choice> choices, const std::string& what) {
  return command.add_option_function<std::string>(
      name,
      [name, &to, choices = std::move(choices)](const std::string& text) {
        if (const auto found = choices.find(text); found != choices.end()) return void(to = found->second);
        std::string known;
        for (const auto& choice : choices) known += (known.empty() ? "" : ", ") + choice.first;
        throw UserError(fmt::format("{} is {}, but must be one of {}.", name, text, known));
      },
      what);
}

// A finite number. (CLI11's own ranges let NaN pass.)
inline CLI::Validator between(double low, double high) {
  const auto check = [=](std::string& text) {
    const std::optional<double> given = number_in(text);
    if (given && *given >= low && *given <= high) return std::string();
    return fmt::format("{} is not a number between {:g} and {:g}", text, low, high);
  };
  return CLI::Validator(check, "");
}

}  // namespace kiln
