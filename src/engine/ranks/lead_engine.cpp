#include "engine/ranks/lead_engine.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/ranks/first_state.hpp"
#include "engine/ranks/gather_part.hpp"
#include "engine/ranks/id_slices.hpp"
#include "engine/ranks/part_transfer.hpp"
#include "model/initial/first_sites.hpp"
#include "model/model.hpp"

namespace kiln {
namespace {

// What comes back when a brick was advanced.
struct Advanced {
  AttemptCounts counts;
  Traffic traffic;
  int64_t signal = 0;
};

template <class T>
Message message_of(const T& value) {
  Message message;
  append(message, value);
  return message;
}

void hand_out(const State& whole, const BrickGrid& grid, int reach, const std::vector<bool>& frozen,
              const std::vector<std::vector<CellId>>& cells, const Holders& holders, Crew& crew) {
  crew.order(Order::begin);
  const Vec3i counts = grid.counts();
  for (int rank = 1; rank < grid.ranks(); ++rank) {
    const TissuePart part = cut_out(whole, grid, rank, reach, cells[std::size_t(rank)], frozen);
    crew.send(rank, std::as_bytes(std::span(&counts, 1)));
    send_part(crew, rank, part, PartOf::all);
    send_holders(crew, rank, part, holders);
  }
}

std::string receive_text(Crew& crew) {
  const std::vector<char> text = receive_numbers<char>(crew, 0);
  return {text.begin(), text.end()};
}

Message message_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// By all ranks at once. What went wrong, in words: nobody ends on their own account, so that one sentence can
// tell of it, and what is there already stays good.
std::string keep_part(RankPlayer& brick, Processes& processes, CellId cells, PartFile kind,
                      const std::string& folder, PartStore& store) {
  const int rank = processes.rank();
  brick.fetch(PartOf::all);
  const Cells rows = cells_of_slice(brick, processes, cells);
  try {
    store.write(kind, folder, {rank, brick.tissue(), id_slice(cells, processes.ranks(), rank).first, rows});
  } catch (const std::exception& e) {
    return fmt::format("rank {} on {}: {}", rank, processes.host(), e.what());
  }
  return "";
}

// The UserError of a formula without a number. All ranks throw it at the same MCS, since they agree on it;
// the protocol goes on, and the first rank alone reports it.
std::exception_ptr advance_unless_refused(RankPlayer& brick, int64_t mcs) {
  try {
    brick.advance(mcs);
  } catch (const UserError&) {
    return std::current_exception();
  }
  return nullptr;
}

// Gives cells new ids, in the order of their own, which are returned; the medium keeps its.
std::vector<CellId> renumber(std::span<CellId> ids) {
  std::vector<CellId> numbers = {kMedium};
  CellId last = kMedium;  // most neighbours are of the same cell
  for (const CellId id : ids)
    if (id != last && id != kMedium) numbers.push_back(last = id);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (CellId& id : ids) id = CellId(std::lower_bound(numbers.begin(), numbers.end(), id) - numbers.begin());
  return numbers;
}

// All that is known of a substance but its concentrations.
void copy_books(const Substance& from, Substance& to) {
  to.name = from.name;
  to.voxels = from.voxels;
  to.coarsen = from.coarsen;
  to.first_total = from.first_total;
  to.total = from.total;
  to.budget = from.budget;
}

// The first of all that had something to say.
std::string first_said(std::string own, const std::vector<Message>& answers) {
  for (const Message& answer : answers)
    if (own.empty()) own.assign(reinterpret_cast<const char*>(answer.data()), answer.size());
  return own;
}

// nullptr where it cannot be, and why: most often all ranks come to the same.
std::unique_ptr<StateSource> first_state_unless_refused(const Model& model, const BrickGrid& grid, int near,
                                                        Crew& crew, std::string& why) {
  try {
    return build_first_state(model, grid, near, crew.processes());
  } catch (const NeedsWhole&) {
  } catch (const RefusedElsewhere&) {
  } catch (const UserError& e) {
    why = fmt::format("rank {} on {}: {}", crew.processes().rank(), crew.processes().host(), e.what());
  }
  return nullptr;
}

}  // namespace

LeadEngine::LeadEngine(const State& whole, const Physics& first, const tiles::Settings& settings,
                       const Vec3i& bricks, const MakeRank& ranks, int threads, Crew& crew, PartStore* store)
    : settings_(settings), crew_(crew), store_(store), grid_(whole.lattice, bricks), reach_(reach_of(first)) {
  const std::vector<bool> frozen = frozen_types_of(first);
  const std::vector<std::vector<CellId>> cells = cells_by_rank(whole, grid_, reach_, ranks.on_gpus);
  const Holders holders = holders_of(cells);
  hand_out(whole, grid_, reach_, frozen, cells, holders, crew);
  brick_ = ranks.make(cut_out(whole, grid_, 0, reach_, cells[0], frozen), crew.processes(), holders, first);
  threads_ = brick_->threads();
  for (const Message& answer : crew.answers()) threads_ += Reading(answer).take<int32_t>();
  whole_.lattice = whole.lattice;
  whole_.mcs = whole.mcs;
  survey_ = std::make_unique<LeadSurvey>(crew, *brick_, slices(), threads);
}

LeadEngine::LeadEngine(const std::string& checkpoint, const Physics& first, const tiles::Settings& settings,
                       const Vec3i& bricks, const MakeRank& ranks, int threads, Crew& crew, PartStore& store)
    : settings_(settings), crew_(crew), store_(&store), reach_(reach_of(first)) {
  const std::unique_ptr<StateSource> stored = store.open(checkpoint);
  grid_ = BrickGrid(stored->lattice(), bricks);
  crew.order(Order::gather);
  for (int rank = 1; rank < crew.ranks(); ++rank) {
    crew.send(rank, std::as_bytes(std::span(&bricks, 1)));
    send_numbers<char>(crew, rank, checkpoint);
  }
  take_part(*stored, first, ranks, threads);
}

LeadEngine::LeadEngine(const Model& model, std::vector<std::string>* notes, const tiles::Settings& settings,
                       const Vec3i& bricks, const MakeRank& ranks, int threads, Crew& crew, PartStore* store)
    : settings_(settings),
      crew_(crew),
      store_(store),
      grid_(model.lattice, bricks),
      reach_(reach_of(model.phases.front().physics.view())) {
  crew.order(Order::build);
  for (int rank = 1; rank < crew.ranks(); ++rank) crew.send(rank, std::as_bytes(std::span(&bricks, 1)));
  std::unique_ptr<StateSource> first;
  try {
    first =
        build_first_state(model, grid_, shared_within(grid_, reach_, ranks.on_gpus), crew.processes(), notes);
  } catch (const NeedsWhole&) {
    crew.answers();
    throw;
  } catch (const UserError&) {
    crew.answers();
    throw;
  } catch (const RefusedElsewhere&) {
    throw UserError(first_said("", crew.answers()));
  }
  take_part(*first, model.phases.front().physics.view(), ranks, threads);
}

void LeadEngine::take_part(StateSource& stored, const Physics& first, const MakeRank& ranks, int threads) {
  GatheredPart gathered =
      gather_part(stored, grid_, reach_, frozen_types_of(first), ranks.on_gpus, crew_.processes());
  brick_ = ranks.make(std::move(gathered.part), crew_.processes(), gathered.holders, first);
  threads_ = brick_->threads();
  for (const Message& answer : crew_.answers()) threads_ += Reading(answer).take<int32_t>();
  whole_.lattice = stored.lattice();
  whole_.mcs = stored.mcs();
  survey_ = std::make_unique<LeadSurvey>(crew_, *brick_, slices(), threads);
}

std::string check_together(Crew& crew, PartStore& store, const std::string& checkpoint) {
  crew.order(Order::check);
  for (int rank = 1; rank < crew.ranks(); ++rank) send_numbers<char>(crew, rank, checkpoint);
  const std::string wrong = store.check(checkpoint, 0, crew.ranks());
  return first_said(wrong, crew.answers());
}

void LeadEngine::advance(int64_t mcs) {
  crew_.order(Order::advance, mcs);
  const std::exception_ptr refused = advance_unless_refused(*brick_, mcs);
  counts_ = brick_->counts();
  traffic_ = brick_->traffic();
  for (const Message& answer : crew_.answers()) {
    const auto advanced = Reading(answer).take<Advanced>();
    counts_.add(advanced.counts);
    traffic_.add(advanced.traffic);
    if (signal_ == 0) signal_ = int(advanced.signal);
  }
  if (refused) std::rethrow_exception(refused);
}

// What is here already is left alone: measures may be reading it on another thread.
void LeadEngine::bring(PartOf what, int64_t& of_mcs) {
  if (of_mcs == brick_->tissue().state.mcs) return;
  crew_.order(what == PartOf::cells ? Order::cells : Order::sites);
  const auto put = [&](const TissuePart& part) {
    what == PartOf::cells ? put_back_cells(part, whole_) : put_back_sites(part, whole_);
  };
  brick_->fetch(what);
  if (what == PartOf::cells && whole_.cells.count() == 0)
    whole_.cells = empty_cells_like(brick_->tissue().state.cells, brick_->tissue().cells_in_all);
  put(brick_->tissue());
  for (int rank = 1; rank < grid_.ranks(); ++rank)
    put(receive_part(crew_, rank, grid_, rank, reach_, brick_->tissue().frozen, what));
  crew_.answers();
  if (what == PartOf::cells) whole_.substances = brick_->tissue().state.substances;
  of_mcs = brick_->tissue().state.mcs;
}

const State& LeadEngine::state() {
  if (whole_.ids.empty()) {
    whole_.ids = HugeVector<CellId>(std::size_t(whole_.lattice.sites()));
    if (!brick_->tissue().state.act.empty()) whole_.act = HugeVector<ActValue>(whole_.ids.size());
  }
  bring(PartOf::cells, cells_mcs_);
  bring(PartOf::sites, sites_mcs_);
  return whole_;
}

const State& LeadEngine::state_of_cells() {
  bring(PartOf::cells, cells_mcs_);
  return whole_;
}

const State& LeadEngine::outline() {
  const State& own = brick_->tissue().state;
  if (whole_.mcs == own.mcs && whole_.substances.size() == own.substances.size()) return whole_;
  whole_.mcs = own.mcs;
  whole_.substances.resize(own.substances.size());
  for (std::size_t s = 0; s < own.substances.size(); ++s) copy_books(own.substances[s], whole_.substances[s]);
  return whole_;
}

void LeadEngine::each_slice(const TakeSlice& take) {
  if (cells_mcs_ == mcs()) return take({whole_.cells});
  crew_.order(Order::slice);
  const CellId cells = cell_count();
  take({table_of_slice(*brick_, crew_.processes(), slice_)});
  for (int rank = 1; rank < crew_.ranks(); ++rank) {
    const CellId first = id_slice(cells, crew_.ranks(), rank).first;
    take({receive_cells(crew_, rank), first == kMedium ? kMedium : first - 1});
  }
  crew_.answers();
}

std::string LeadEngine::hash() {
  crew_.order(Order::hash);
  brick_->fetch(PartOf::all);
  uint64_t sum = hash_part(*brick_);
  for (const Message& answer : crew_.answers()) sum += Reading(answer).take<uint64_t>();
  return hash_text(sum);
}

std::vector<PartPlace> LeadEngine::places() const {
  std::vector<PartPlace> places;
  for (int rank = 0; rank < grid_.ranks(); ++rank) {
    const IdSlice slice = id_slice(brick_->tissue().cells_in_all, grid_.ranks(), rank);
    places.push_back({grid_.brick(rank), slice.first, slice.count});
  }
  return places;
}

Box LeadEngine::bounds(const std::vector<uint8_t>& types) {
  crew_.order(Order::bounds);
  for (int rank = 1; rank < crew_.ranks(); ++rank) send_numbers<uint8_t>(crew_, rank, types);
  brick_->fetch(PartOf::all);
  Box bounds = bounds_of_types(brick_->tissue(), types);
  for (const Message& answer : crew_.answers()) bounds.include(Reading(answer).take<Box>());
  return bounds;
}

State LeadEngine::sites_of(const Box& box) {
  crew_.order(Order::box);
  for (int rank = 1; rank < crew_.ranks(); ++rank) crew_.send(rank, std::as_bytes(std::span(&box, 1)));
  State state;
  state.lattice = whole_.lattice;
  state.lattice.size = box.size();
  state.mcs = mcs();
  state.ids = HugeVector<CellId>(std::size_t(state.lattice.sites()));
  if (has_act()) state.act = HugeVector<ActValue>(state.ids.size());
  std::vector<CellId> ids;
  std::vector<ActValue> act;
  brick_->fetch(PartOf::sites);
  for (int rank = 0; rank < crew_.ranks(); ++rank) {
    if (rank == 0) {
      own_sites_of(brick_->tissue(), box, ids, act);
    } else {
      ids = receive_numbers<CellId>(crew_, rank);
      act = receive_numbers<ActValue>(crew_, rank);
    }
    const Box part = grid_.brick(rank).within(box).shifted(box.low * -1);
    std::size_t from = 0;
    for (int32_t z = part.low.z; z < part.high.z && from < ids.size(); ++z)
      for (int32_t y = part.low.y; y < part.high.y; ++y, from += std::size_t(part.size().x)) {
        const auto to = std::size_t(state.lattice.index({part.low.x, y, z}));
        std::copy_n(ids.data() + from, part.size().x, state.ids.data() + to);
        if (!act.empty()) std::copy_n(act.data() + from, part.size().x, state.act.data() + to);
      }
  }
  crew_.answers();
  return state;
}

void LeadEngine::show_box(const Box& box, const ShowBox& show) {
  State state = sites_of(box);
  const std::vector<CellId> numbers = renumber({state.ids.data(), state.ids.size()});
  state.cells = empty_cells_like(like(), CellId(numbers.size()));
  CellId row = 0;
  each_slice([&](const CellSlice& slice) {
    for (; row < state.cells.count() && numbers[row] < slice.end(); ++row)
      copy_row(slice.cells, slice.row(numbers[row]), state.cells, row);
  });
  show(state, numbers);
}

void LeadEngine::write(PartFile kind, const std::string& folder) {
  const CellId cells = brick_->tissue().cells_in_all;
  crew_.order(Order::keep, cells);
  for (int rank = 1; rank < crew_.ranks(); ++rank) {
    crew_.send(rank, std::as_bytes(std::span(&kind, 1)));
    send_numbers<char>(crew_, rank, folder);
  }
  const std::string own = keep_part(*brick_, crew_.processes(), cells, kind, folder, *store_);
  const std::string wrong = first_said(own, crew_.answers());
  if (!wrong.empty()) throw Failure(wrong);
}

void follow(Crew& crew, const Model& model, const MakeRank& ranks, int threads,
            const std::function<int()>& signal, PartStore* store) {
  const Physics first = model.phases.front().physics.view();
  const int reach = reach_of(first);
  std::unique_ptr<RankPlayer> brick;
  const Phase* phase = nullptr;
  std::optional<SliceOfMoment> slice;
  for (;;) {
    const auto [order, value] = crew.next_order();
    Message answer;
    switch (order) {
      case Order::begin: {
        Vec3i counts;
        crew.receive(0, std::as_writable_bytes(std::span(&counts, 1)));
        const BrickGrid grid(model.lattice, counts);
        TissuePart part =
            receive_part(crew, 0, grid, crew.processes().rank(), reach, frozen_types_of(first), PartOf::all);
        const Holders holders = receive_holders(crew, 0);
        phase = &model.phase_at(part.state.mcs);
        brick = ranks.make(std::move(part), crew.processes(), holders, phase->physics.view());
        answer = message_of(int32_t(brick->threads()));
        break;
      }
      case Order::gather:
      case Order::build: {
        Vec3i counts;
        crew.receive(0, std::as_writable_bytes(std::span(&counts, 1)));
        const BrickGrid grid(model.lattice, counts);
        std::unique_ptr<StateSource> stored;
        std::string why_not;
        if (order == Order::gather)
          stored = store->open(receive_text(crew));
        else
          stored = first_state_unless_refused(model, grid, shared_within(grid, reach, ranks.on_gpus), crew,
                                              why_not);
        if (stored == nullptr) {
          answer = message_of(why_not);
          break;
        }
        GatheredPart gathered =
            gather_part(*stored, grid, reach, frozen_types_of(first), ranks.on_gpus, crew.processes());
        phase = &model.phase_at(gathered.part.state.mcs);
        brick =
            ranks.make(std::move(gathered.part), crew.processes(), gathered.holders, phase->physics.view());
        answer = message_of(int32_t(brick->threads()));
        break;
      }
      case Order::check: {
        const std::string file = receive_text(crew);
        answer = message_of(store->check(file, crew.processes().rank(), crew.ranks()));
        break;
      }
      case Order::advance:
        if (const Phase* const now = &model.phase_at(brick->tissue().state.mcs); now != phase) {
          phase = now;
          brick->set_physics(now->physics.view());
        }
        advance_unless_refused(*brick, value);
        answer = message_of(Advanced{brick->counts(), brick->traffic(), signal()});
        break;
      case Order::hash:
        brick->fetch(PartOf::all);
        answer = message_of(hash_part(*brick));
        break;
      case Order::cells:
        brick->fetch(PartOf::cells);
        send_part(crew, 0, brick->tissue(), PartOf::cells);
        break;
      case Order::slice:
        send_cells(crew, 0, table_of_slice(*brick, crew.processes(), slice));
        break;
      case Order::sites:
        brick->fetch(PartOf::sites);
        send_part(crew, 0, brick->tissue(), PartOf::sites);
        break;
      case Order::bounds: {
        const auto types = receive_numbers<uint8_t>(crew, 0);
        brick->fetch(PartOf::all);
        answer = message_of(bounds_of_types(brick->tissue(), types));
        break;
      }
      case Order::box: {
        Box box;
        crew.receive(0, std::as_writable_bytes(std::span(&box, 1)));
        std::vector<CellId> ids;
        std::vector<ActValue> act;
        brick->fetch(PartOf::sites);
        own_sites_of(brick->tissue(), box, ids, act);
        send_numbers<CellId>(crew, 0, ids);
        send_numbers<ActValue>(crew, 0, act);
        break;
      }
      case Order::keep: {
        PartFile kind;
        crew.receive(0, std::as_writable_bytes(std::span(&kind, 1)));
        const std::string folder = receive_text(crew);
        answer = message_of(keep_part(*brick, crew.processes(), CellId(value), kind, folder, *store));
        break;
      }
      case Order::leave:
        return crew.answer();
      default:
        brick->fetch(PartOf::all);
        survey_part(crew, order, value, brick->tissue(), threads);
    }
    crew.answer(std::move(answer));
  }
}

}  // namespace kiln
