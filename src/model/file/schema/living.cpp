// Sections of what cells do by themselves: properties, equations, growth, rules.
#include "model/file/schema/limits.hpp"
#include "model/file/schema/schema.hpp"

namespace kiln {
namespace {

using namespace limits;
using enum ValueKind;

constexpr Key kConstantKeys[] = {
    {"NAME", real, -1e300, 1e300, "(none)", "", "", "a number that formulas can use under this name"},
};

constexpr Key kPropertyKeys[] = {
    {"start", formula, 0, 0, "0", "", "", "what a cell begins with"},
    {"extensive", flag, 0, 0, "false", "", "",
     "daughters share it by their volumes; else each has the mother's"},
    {"unit", text, 0, 0, "\"\"", "", "", "for tables and pictures"},
};

constexpr Key kEquationKeys[] = {
    {"steps", whole, 1, 1e6, "1", "", "", "of Runge and Kutta's method in an MCS"},
};

constexpr Key kGrowthKeys[] = {
    {"rate", formula, 0, 0, kRequired, "", "sites/h", "by which the target volume grows"},
    {"up_to", real, 0, 1e9, "(no limit)", "", "sites", "target volume at which growth ends"},
};

constexpr Key kTickKeys[] = {
    {"every", whole, 1, kMostMcs, "1", "", "MCS", "between two looks at the rules"},
};

constexpr Key kRuleKeys[] = {
    {"do", choice, 0, 0, "\"set\"", "", "", "what happens to a cell"},
    {"types", type_names, 0, 0, kRequired, "", "", "whose cells follow the rule"},
    {"when", formula, 0, 0, "(always)", "", "", "a condition, such as `volume >= 100 and age > h(8)`"},
    {"rate", formula, 0, 0, "(at once)", "", "1/s",
     "how often it happens to a cell for which `when` holds, such as `0.04 / h(1)`: in a time t with "
     "probability 1 - exp(-rate t)"},
    {"set", formulas, 0, 0, "{}", "", "",
     "properties, `volume.target` or `perimeter.target` (in sites and pairs), `act.lambda`, "
     "`chemotaxis.lambda` or `persistence.lambda`, each with a formula"},
};
constexpr Key kDivideKeys[] = {
    {"plane", choice_or_place, -1e6, 1e6, "\"across\"", "across|along|random", "",
     "in which it is cut: `across` its longest axis, `along` that, at `random`, or with a normal that is given"},
    {"daughters", tables_by_number, 0, 0, "{}", "", "",
     "in what the first or the second daughter differs: `{ 2 = { type = \"stem\", clock = 0 } }`, a type and "
     "what `set` takes"},
};
constexpr Key kDieKeys[] = {
    {"how", choice, 0, 0, "\"shrink\"", "shrink|remove|become", "",
     "its target volume falls to 0; or its sites are medium at once; or it becomes a cell of another `type`, "
     "a frozen one maybe"},
    {"over", formula, 0, 0, "\"h(1)\"", "", "s", "`shrink`: how long that takes, a number"},
    {"at", whole, 0, 1e9, "2", "", "sites", "`shrink`: with so many or fewer it is removed"},
    {"type", type_name, 0, 0, "(none)", "", "", "`become`: which one"},
};
constexpr Key kBecomeKeys[] = {
    {"type", type_name, 0, 0, kRequired, "", "", "the new one"},
};
constexpr Variant kDeeds[] = {
    {"set", "numbers of the cell change, and nothing else", {}},
    {"divide", "two new cells take the place of the mother", kDivideKeys},
    {"die", "the cell ends", kDieKeys},
    {"become", "the cell has another type", kBecomeKeys},
};

}  // namespace

constinit const Section kConstantSection{"constants", "[constants]", "Numbers for formulas.", kConstantKeys};
constinit const Section kPropertySection{
    "properties", "properties = { ... }",
    "In [types.NAME], a table for each property that its cells have: `notch = { start = 0.1, unit = \"nM\" }`, "
    "or just `notch = 0.1`. A start is a number or a formula, such as `uniform(0, 1)`.",
    kPropertyKeys};
constinit const Section kEquationSection{
    "equations", "equations = { ... }",
    "In [types.NAME], time derivatives of properties, per second, by their names: `notch = \"signal / (1 + "
    "signal) - notch\"`.",
    kEquationKeys};
constinit const Section kGrowthSection{"growth", "growth = { ... }",
                                       "In [types.NAME]: every cell has a target volume of its own, which "
                                       "begins as `volume.target` and grows.",
                                       kGrowthKeys};
constinit const Section kTickSection{
    "tick", "[tick]", "What happens between two MCS, where cells have rules.", kTickKeys};
constinit const Section kRuleSection{
    "rules",
    "[[rules]]",
    "What becomes of cells. All conditions are looked at before anything changes. Of a cell that is to die, "
    "divide and change its type at once, the first of these happens. `set` counts also where a rule does "
    "something else; where two rules set a number, the later one does.",
    kRuleKeys,
    "do",
    kDeeds};

}  // namespace kiln
