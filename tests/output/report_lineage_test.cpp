// Who came from whom, as the report shows it.
#include "output/report/lineage.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/living_worlds.hpp"
#include "support/played.hpp"

namespace kiln {
namespace {

using Life = Cells::Life;
using End = Cells::End;

int64_t count_of(const std::string& text, const std::string& part) {
  int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Cell 1 stays alone; 2 divides at MCS 10 into 3 and 4; 3 at 30 into 5 and 6; 4 dies at 40.
ReportLineage small_family() {
  static Cells cells;
  cells.life = {Life{},
                Life{},
                Life{.ended = 10, .end = End::divided},
                Life{.parent = 2, .born = 10, .ended = 30, .generation = 1, .end = End::divided},
                Life{.parent = 2, .born = 10, .ended = 40, .generation = 1, .end = End::died},
                Life{.parent = 3, .born = 30, .generation = 2},
                Life{.parent = 3, .born = 30, .generation = 2}};
  return report_lineage(cells, 50, 60);
}

TEST(ReportLineage, IsDrawnAsATree) {
  const FamilyTree tree = largest_family(small_family());
  EXPECT_EQ(tree.founder, 2u);
  EXPECT_TRUE(tree.is_whole);
  EXPECT_EQ(tree.generations, 2);
  EXPECT_EQ(count_of(tree.svg, "<path"), 5);    // cells
  EXPECT_EQ(count_of(tree.svg, "<circle"), 1);  // deaths
  const FamilyTree cut = largest_family(small_family(), 2);
  EXPECT_FALSE(cut.is_whole);
  EXPECT_EQ(cut.generations, 1);
  EXPECT_EQ(count_of(cut.svg, "<path"), 3);
}

TEST(ReportLineage, CountsCells) {
  const std::string html = lineage_section(small_family());
  for (const char* counted : {"<b>3</b><span>live", "<b>4</b><span>were born", "<b>2</b><span>divided",
                              "<b>1</b><span>died", "<b>0</b><span>vanished", "<b>2</b><span>generations"})
    EXPECT_NE(html.find(counted), std::string::npos) << counted;
  const Plot generations = cells_by_generation(small_family());
  ASSERT_EQ(generations.series.size(), 1u);
  EXPECT_EQ(generations.series[0].y, (std::vector<double>{1, 0, 2}));
  const Plot ages = division_ages(small_family());  // of those born in the run: one, after 20 min
  ASSERT_EQ(ages.series.size(), 1u);
  EXPECT_EQ(ages.x_label, "min");
  EXPECT_EQ(ages.series[0].y[46], 1);
  EXPECT_DOUBLE_EQ(ages.series[0].x[47], 20);
}

TEST(ReportLineage, IsLeftOutWhereNothingHappened) {
  Cells cells;
  EXPECT_EQ(lineage_section(report_lineage(cells, 50, 60)), "");
  cells.life = {Life{}, Life{}};
  EXPECT_EQ(lineage_section(report_lineage(cells, 50, 60)), "");
  cells.life[1].end = End::died;  // nobody was born
  const std::string html = lineage_section(report_lineage(cells, 50, 60));
  EXPECT_NE(html, "");
  EXPECT_EQ(html.find("figcaption"), std::string::npos);
}

// Every cell of a family that is shown has a line, whatever happened.
TEST(ReportLineage, HasAllOfATissuesLargestFamily) {
  test::Played colony(test::colony("[60, 40]"));
  colony.play(400);
  const ReportLineage lineage = report_lineage(colony.cells(), 400, 60);
  const FamilyTree tree = largest_family(lineage, 100'000);
  std::vector<CellId> founder(lineage.lives.size());
  std::vector<int64_t> size(lineage.lives.size(), 0);
  for (CellId cell = 1; cell < founder.size(); ++cell) {
    const auto parent = CellId(lineage.lives[cell].parent);
    founder[cell] = parent == kMedium ? cell : founder[parent];
    size[founder[cell]] += 1;
  }
  ASSERT_TRUE(tree.is_whole);
  EXPECT_GT(size[tree.founder], 4);
  EXPECT_EQ(size[tree.founder], *std::max_element(size.begin(), size.end()));
  EXPECT_EQ(count_of(tree.svg, "<path"), size[tree.founder]);
}

}  // namespace
}  // namespace kiln
