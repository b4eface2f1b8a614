// From a model file (TOML) to a Model. Everything that is wrong with a file is said in one sentence that
// names the file and line, the key, its value and what is allowed (UserError). docs/model-file.md lists the
// keys.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/file/overrides.hpp"
#include "model/model.hpp"

namespace kiln {

// `overrides` are the `--set key=value` of the command line: a dotted key (types.tcell.act.lambda=300,
// lattice.size= [64,64], initial.0.count=5) and a TOML value, or a bare word. They are checked like keys of
// the file.
Model read_model(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

// The same for a text. `source_name` stands in messages; files that the model names are looked for in
// `folder`.
Model parse_model(std::string_view text, std::string source_name, std::string folder,
                  const std::vector<std::string>& overrides = {});

// What stands in a model file; UserError where it cannot be read.
std::string model_text(const std::filesystem::path& file);

// The same for values that come from elsewhere; what they are called in messages is their `place`.
Model make_model(Node given, std::string source_name, std::string folder,
                 const std::vector<Override>& overrides = {});

}  // namespace kiln
