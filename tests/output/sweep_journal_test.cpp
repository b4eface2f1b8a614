#include "output/table/sweep_journal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

class SweepJournalTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kiln-journal-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string text() const {
    std::ifstream in(SweepJournal::path_in(folder_), std::ios::binary);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  void put(const std::string& text) const {
    std::ofstream(SweepJournal::path_in(folder_), std::ios::binary) << text;
  }

  fs::path folder_;
};

const SweepRows kRows{"hash,1,2", {"0,\"two\nlines\",\\n", "", "20,x,y"}};

TEST_F(SweepJournalTest, GivesBackWhatItWasGiven) {
  {
    SweepJournal journal(folder_, "tiles\nmodel");
    EXPECT_EQ(journal.find("a"), nullptr);
    journal.add("a", kRows);
    journal.add("b 2\\\n", {"s", {}});
  }
  const SweepJournal again(folder_, "tiles\nmodel");
  ASSERT_NE(again.find("a"), nullptr);
  EXPECT_EQ(again.find("a")->summary, kRows.summary);
  EXPECT_EQ(again.find("a")->measures, kRows.measures);
  ASSERT_NE(again.find("b 2\\\n"), nullptr);
  EXPECT_EQ(again.find("b 2\\\n")->measures.size(), 0u);
}

TEST_F(SweepJournalTest, WhereverItWasCutWholeRunsAreLeft) {
  {
    SweepJournal journal(folder_, "tiles");
    journal.add("first", kRows);
  }
  const std::size_t with_first = text().size();
  {
    SweepJournal journal(folder_, "tiles");
    journal.add("second", kRows);
  }
  const std::string whole = text();
  const std::size_t header = whole.find('\n') + 1;
  for (std::size_t length = header; length <= whole.size(); ++length) {
    put(whole.substr(0, length));
    SweepJournal journal(folder_, "tiles");
    EXPECT_EQ(journal.find("first") != nullptr, length >= with_first) << length;
    EXPECT_EQ(journal.find("second") != nullptr, length == whole.size()) << length;
    journal.add("second", kRows);
    EXPECT_NE(SweepJournal(folder_, "tiles").find("second"), nullptr) << length;
  }
}

TEST_F(SweepJournalTest, IsAboutOneThing) {
  { SweepJournal journal(folder_, "tiles"); }
  EXPECT_THROW(SweepJournal(folder_, "serial"), UserError);
  EXPECT_NO_THROW(SweepJournal(folder_, "tiles"));
}

}  // namespace
}  // namespace kiln
