// Processes that play one tissue: the first leads, the others follow.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "base/error.hpp"
#include "engine/ranks/join.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "support/crew_of_threads.hpp"
#include "support/shipped.hpp"

namespace kiln {
namespace {

using test::as_crew;

void follow_orders(Crew& crew, const Model& model, int signal = 0) {
  follow(crew, model, test::ranks_of_one_thread(model), 1, [=] { return signal; });
}

void dismiss(Crew& crew) {
  crew.order(Order::leave);
  crew.answers();
}

class CrewPlays : public testing::TestWithParam<std::string> {};

TEST_P(CrewPlays, TheSameTissueAsOneProcess) {
  Model model = test::shipped_model(GetParam());
  for (Phase& phase : model.phases) phase.mcs = 3;
  const int64_t mcs = model.total_mcs();
  for (const int ranks : {2, 5})
    as_crew(ranks, [&](Crew& crew) {
      if (!crew.meet(model.resolved)) ADD_FAILURE() << "nobody is needed";
      if (!crew.leads()) return follow_orders(crew, model);
      const auto alone = test::engine_for(model, {.engine = "threads", .threads = 1});
      const auto together = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
      EXPECT_EQ(together->processes(), ranks);
      EXPECT_EQ(together->threads(), ranks);
      for (int64_t m = 0; m < mcs; ++m) {
        const Physics physics = model.phase_at(m).physics.view();
        alone->set_physics(physics);
        together->set_physics(physics);
        alone->advance(1);
        together->advance(1);
        EXPECT_EQ(together->hash(), alone->hash()) << "MCS " << m + 1;
        if (m % 2 == 0) {
          EXPECT_TRUE(together->state_of_cells().cells.extent == alone->state().cells.extent);
        }
        if (m % 3 == 0) {
          EXPECT_EQ(state_hash(together->state()), alone->hash());
        }
        if (HasFailure()) break;
      }
      EXPECT_EQ(together->counts().accepted, alone->counts().accepted);
      EXPECT_EQ(together->counts().live, alone->counts().live);
      EXPECT_EQ(together->signal(), 0);
      dismiss(crew);
    });
}

INSTANTIATE_TEST_SUITE_P(Models, CrewPlays,
                         testing::Values("sorting.toml", "collective.toml", "lymph-node.toml",
                                         "living/lateral-inhibition.toml", "living/chase.toml",
                                         "act-cell.toml"),
                         test::test_name);

TEST(Crew, PlaysASecondTissueAfterTheFirst) {
  const Model model = test::shipped_model("sorting.toml");
  as_crew(3, [&](Crew& crew) {
    crew.meet("plan");
    if (!crew.leads()) return follow_orders(crew, model);
    std::string hashes[2];
    for (std::string& hash : hashes) {
      const auto engine = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
      engine->advance(3);
      hash = engine->hash();
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    dismiss(crew);
  });
}

// Measures read the cells on one thread while another asks for the lattice.
TEST(Crew, LeavesCellsAloneWhenTheLatticeComes) {
  const Model model = test::shipped_model("sorting.toml");
  as_crew(3, [&](Crew& crew) {
    crew.meet("plan");
    if (!crew.leads()) return follow_orders(crew, model);
    const auto engine = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
    for (int mcs = 0; mcs < 20; ++mcs) {
      engine->advance(1);
      const Cells& cells = engine->state_of_cells().cells;
      const std::vector<Cells::Centroid> before = cells.centroid;
      std::atomic<bool> has_come = false;
      std::thread reader([&] {
        do EXPECT_TRUE(cells.centroid == before) << "MCS " << mcs;
        while (!has_come && !HasFailure());
      });
      engine->state();
      has_come = true;
      reader.join();
    }
    dismiss(crew);
  });
}

TEST(Crew, HearsOfASignalThatCameToAnother) {
  const Model model = test::shipped_model("sorting.toml");
  as_crew(3, [&](Crew& crew) {
    crew.meet("plan");
    if (!crew.leads()) return follow_orders(crew, model, crew.processes().rank() == 2 ? 15 : 0);
    const auto engine = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
    EXPECT_EQ(engine->signal(), 0);
    engine->advance(1);
    EXPECT_EQ(engine->signal(), 15);
    dismiss(crew);
  });
}

TEST(Crew, RefusesAnotherVersion) {
  as_crew(
      3,
      [](Crew& crew) {
        if (!crew.leads()) {
          EXPECT_FALSE(crew.meet("plan"));
          return;
        }
        try {
          crew.meet("plan");
          ADD_FAILURE();
        } catch (const UserError& e) {
          EXPECT_STREQ(e.what(), "rank 2 on host2 has Kiln 0.0.9, but rank 0 on host0 has " KILN_VERSION ".");
        }
        EXPECT_FALSE(crew.is_manned());
      },
      "0.0.9");
}

TEST(Crew, RefusesWhoHasOtherPlans) {
  as_crew(3, [](Crew& crew) {
    const int rank = crew.processes().rank();
    const std::string plan = rank == 2 ? "seed = 1\nmcs = 11\n" : "seed = 1\nmcs = 10\n";
    if (!crew.leads()) {
      EXPECT_FALSE(crew.meet(plan));
      return;
    }
    try {
      crew.meet(plan);
      ADD_FAILURE();
    } catch (const UserError& e) {
      EXPECT_STREQ(e.what(),
                   "rank 2 on host2 has another model or other options than rank 0 on host0: \"mcs = 11\".");
    }
    EXPECT_FALSE(crew.is_manned());
  });
}

TEST(Crew, TellsWhyOneCannotPlay) {
  as_crew(2, [](Crew& crew) {
    if (!crew.leads()) return crew.stay_away("cannot read model.toml.");
    try {
      crew.meet("plan");
      ADD_FAILURE();
    } catch (const UserError& e) {
      EXPECT_STREQ(e.what(), "rank 1 on host1: cannot read model.toml.");
    }
  });
}

// The first one knows why, and the others go without a word.
TEST(Crew, IsFreeWhereTheFirstGivesUp) {
  as_crew(3, [](Crew& crew) {
    if (crew.leads())
      crew.stay_away("");
    else
      EXPECT_FALSE(crew.meet("plan"));
    EXPECT_FALSE(crew.is_manned());
    EXPECT_TRUE(crew.has_met());
  });
}

TEST(Crew, SharesCoresThatNobodyWasGivenAlone) {
  EXPECT_EQ(fair_threads(64, 64, 8), 8);  // all of them see the whole machine
  EXPECT_EQ(fair_threads(8, 64, 8), 8);   // mpirun gave each its own
  EXPECT_EQ(fair_threads(2, 2, 4), 1);
  EXPECT_EQ(fair_threads(64, 64, 1), 64);
}

Launch launch_in(const std::map<std::string, std::string>& variables) {
  return launch_by([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launch, IsToldByTheEnvironment) {
  const auto expect = [](const Launch& launch, int rank, int ranks, bool has_mpi) {
    EXPECT_EQ(launch.rank, rank);
    EXPECT_EQ(launch.ranks, ranks);
    EXPECT_EQ(launch.has_mpi, has_mpi);
  };
  expect(launch_in({}), 0, 1, false);
  expect(launch_in({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}}), 3, 8, true);
  expect(launch_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), 1, 2, true);
  expect(launch_in({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "8"}, {"KILN_MPI", "off"}}), 0, 1,
         false);
  // A batch script of Slurm is one process, whatever was asked for.
  expect(launch_in({{"SLURM_NTASKS", "8"}, {"SLURM_PROCID", "0"}}), 0, 1, false);
  expect(launch_in({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}}), 5, 8, false);
  expect(launch_in({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}, {"PMIX_RANK", "5"}}), 5, 8, true);
}

TEST(Launch, SaysWhereProcessesCannotFindEachOther) {
  EXPECT_EQ(join_processes({}), nullptr);
  try {
    join_processes({0, 4, false});
    ADD_FAILURE();
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("srun gave them no way to find each other: add --mpi=pmix"),
              std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace kiln
