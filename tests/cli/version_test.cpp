// One version, in CMakeLists.txt; what names it elsewhere must agree.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace kiln {
namespace {

std::string text_of(const std::string& name) {
  std::ifstream in(KILN_SOURCE_DIR "/" + name);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += char(c);
  pclose(pipe);
  return text;
}

// What follows `before` in a text, up to the first character that is not of a version.
std::string version_after(const std::string& text, const std::string& before) {
  const std::size_t start = text.find(before);
  if (start == std::string::npos) return "nothing after \"" + before + "\"";
  const std::size_t first = start + before.size();
  return text.substr(first, text.find_first_not_of("0123456789.", first) - first);
}

TEST(Version, IsTheSameEverywhere) {
  const std::string version = version_after(text_of("CMakeLists.txt"), "project(kiln VERSION ");
  EXPECT_EQ(version, KILN_VERSION);
  EXPECT_EQ(output_of("\"" KILN_BINARY "\" --version"), version + "\n");
  EXPECT_EQ(version_after(text_of("CITATION.cff"), "\nversion: "), version);
  EXPECT_EQ(version_after(text_of("CHANGELOG.md"), "\n## "), version);
}

}  // namespace
}  // namespace kiln
