// The model files printed in the documentation are models: every block of TOML that has a lattice is read.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/file/read.hpp"

namespace kiln {
namespace {

std::vector<std::string> toml_blocks(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  std::vector<std::string> blocks;
  for (std::size_t at = all.find("```toml\n"); at != std::string::npos; at = all.find("```toml\n", at + 1)) {
    const std::size_t begin = at + 8;
    blocks.push_back(all.substr(begin, all.find("```", begin) - begin));
  }
  return blocks;
}

TEST(Documentation, ItsModelsCanBeRead) {
  int models = 0;
  for (const char* page : {"README.md", "docs/model-file.md", "docs/living.md", "docs/substances.md"})
    for (const std::string& block : toml_blocks(std::filesystem::path(KILN_SOURCE_DIR) / page)) {
      if (block.find("[lattice]") == std::string::npos) continue;
      EXPECT_NO_THROW(parse_model(block, page, ".")) << block;
      ++models;
    }
  EXPECT_GE(models, 4);
}

// Pieces of models, completed by what they leave out.
TEST(Documentation, ItsTissuesCanBeRead) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("kiln_documentation_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const char* name : {"stack.tif", "scan.tif"}) std::ofstream(folder / name) << "";
  int steps = 0;
  for (const std::string& block : toml_blocks(std::filesystem::path(KILN_SOURCE_DIR) / "docs/tissues.md")) {
    std::string text = block;
    if (block.find("type = ") == std::string::npos) text += "type = \"tissue\"\n";
    if (block.find("[lattice]") == std::string::npos) text += "[lattice]\nsize = [9, 9, 9]\n";
    text += "[types.tissue]\nfrozen = true\n[types.tcell]\n";
    EXPECT_NO_THROW(parse_model(text, "tissues.md", folder.string())) << text;
    ++steps;
  }
  EXPECT_EQ(steps, 5);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kiln
