#include "engine/cuda/ranks/brick_player.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/cuda/living/cells.hpp"
#include "engine/ranks/sent.hpp"

namespace kiln::cuda {
namespace {

constexpr uint32_t kLastStamp = 1u << 30;  // of claims, before they are made anew

// How much there may be to tell of shared cells in a round: many times what there is, as not every attempt on
// one of their sites changes it.
int64_t outbox_bytes(int64_t cells, int64_t sites_per_cell, const tiles::Settings& settings, int dimension) {
  const int64_t tile = int64_t(settings.tile.x) * settings.tile.y * (dimension == 3 ? settings.tile.z : 1);
  const int64_t copies = 1024 + cells * sites_per_cell / (2 * tile) + cells;
  return std::max(copies * int64_t(sizeof(SentCopy)), cells * int64_t(sizeof(SentSums)) + 4096);
}

// Spare rows by type, for cells that come to the brick. A shared cell stays shared until it is a little
// farther away than near, and cells of a type may gather.
std::vector<std::size_t> spare_rows(const TissuePart& part, const Sharing& sharing, int types,
                                    const Model* living) {
  std::vector<std::size_t> cells(std::size_t(types), 0), shared = cells, spare = cells;
  for (CellId own = 1; own < part.state.cells.count(); ++own) {
    cells[part.state.cells.type[own]] += 1;
    shared[part.state.cells.type[own]] += sharing.is_shared(own);
  }
  constexpr std::size_t kLeast = 64, kPartOfCells = 128, kPartOfShared = 6;
  for (std::size_t k = 0; k < spare.size(); ++k)
    spare[k] = kLeast + cells[k] / kPartOfCells + shared[k] / kPartOfShared;
  if (living == nullptr || living->living == nullptr) return spare;
  const CellRoom to_be_born = room_for(*living, part.state);
  for (std::size_t k = 0; k < spare.size(); ++k) spare[k] += to_be_born.spare[k];
  return spare;
}

}  // namespace

BrickPlayer::Memory::Memory(const Device& device, const Stream& stream, TissuePart& part,
                            const Sharing& sharing_of_part, int types, int max_act,
                            const std::vector<uint32_t>& told, const Model* living)
    : state(device, stream, part, max_act, spare_rows(part, sharing_of_part, types, living)),
      sharing(device, stream, state, part, sharing_of_part, told),
      stamp(kFirstStamp) {}

BrickPlayer::BrickPlayer(TissuePart part, Exchange& exchange, const Holders& holders, const Physics& physics,
                         uint64_t seed, const tiles::Settings& settings, int max_act, int device,
                         std::shared_ptr<PeerGroup> peers, Numbers numbers, int threads, const Model* living)
    : physics_(physics),
      seed_(seed),
      settings_(settings),
      max_act_(max_act),
      numbers_(numbers),
      device_(device),
      stream_(device_),
      part_(std::move(part)),
      sharing_(part_, exchange, reach_of(physics), holders, true),
      exchange_(exchange),
      clock_(part_.grid.lattice(), settings.tile),
      tick_{mcs_between_anchor_checks(part_.grid.lattice()), part_.state.cells.history_length > 0,
            part_.state.cells.moments.empty()},
      mail_(device_, stream_, exchange, part_.grid, std::move(peers)),
      control_(device_, 1, "the counters"),
      open_at_(device_, 1, "the counters"),
      faults_(device_, 1, "the counters"),
      told_(device_, kinds, "the counters"),
      brought_(device_, 1) {
  control_.fill(0);
  open_at_.fill(0);
  faults_.fill(0);
  told_.fill(0);
  expect_sizes();
  if (living != nullptr) {
    tick_.lives = true;
    life_ = std::make_unique<BrickLife>(*living, part_, sharing_, exchange_, traffic_, threads,
                                        [this] { fetch(PartOf::sites); });
  }
  begin({});
}

// Cells that are smaller than they would be are going to grow.
void BrickPlayer::expect_sizes() {
  const Cells& cells = part_.state.cells;
  int64_t sites = 0;
  for (CellId own = 1; own < cells.count(); ++own)
    sites +=
        std::max<int64_t>(cells.extent[own].volume, int64_t(physics_.types[cells.type[own]].volume.target));
  sites_per_cell_ = sites / std::max<int64_t>(1, cells.count()) + 1;
}

void BrickPlayer::begin(const std::vector<uint32_t>& told) {
  memory_.reset();
  memory_ = std::make_unique<Memory>(device_, stream_, part_, sharing_, physics_.adhesion.types, max_act_,
                                     told, life_ != nullptr ? &life_->model() : nullptr);
  refreshed_at_ = part_.state.mcs;
  compile();
}

void BrickPlayer::set_physics(const Physics& physics) {
  physics_ = physics;
  expect_sizes();
  device_.synchronize();
  numbers_ = Numbers::in_memory;
  compile();
}

void BrickPlayer::compile() {
  Memory& m = *memory_;
  const DeviceInfo& info = device_.info();
  const TilesKernels kernels =
      compile_tiles(physics_, settings_, m.state.layout(), part_.state.cells.history_length, numbers_,
                    architecture_for(info), info.multiprocessors, info.shared_per_block,
                    is_sparse(part_.state, physics_), m.state.stored());
  shape_ = kernels.shape;
  const Module module(device_, kernels.compiled.cubin);
  for (const auto& [function, name] :
       std::initializer_list<std::pair<Function*, const char*>>{{&judge_all_, "judge_all"},
                                                                {&judge_open_, "judge_open"},
                                                                {&carry_out_owned_, "carry_out_owned"},
                                                                {&carry_out_all_, "carry_out_all"}}) {
    *function = module.function(name);
    function->allow_dynamic_shared(int(shape_.shared_bytes));
  }
  for (const auto& [function, name] :
       std::initializer_list<std::pair<Function*, const char*>>{{&find_live_, "find_live"},
                                                                {&tell_claims_, "tell_claims"},
                                                                {&tell_sums_, "tell_sums"},
                                                                {&hear_copies_, "hear_copies"},
                                                                {&hear_claims_, "hear_claims"},
                                                                {&hear_sums_, "hear_sums"},
                                                                {&turn_, "turn"},
                                                                {&move_anchors_, "move_anchors"},
                                                                {&count_sums_, "count_sums"},
                                                                {&refresh_stamps_, "refresh_stamps"}})
    *function = module.function(name);
  m.state.use(module);
  m.sharing.use(module);
  fields_.give(device_, module, physics_);
  if (const int count = used_substances(physics_); count > 0) {
    concentrations_.resize(std::size_t(count));
    give_concentrations();
    std::vector<const float*> values;
    for (const Buffer<float>& of_substance : concentrations_) values.push_back(of_substance.data());
    module.set_global("kSubstanceValues", values);
  }
  give_numbers(module, physics_, numbers_, settings_.hopeless);
  launch_ = {{unsigned(shape_.crew)}, {unsigned(32 * shape_.warps_per_block)}, shape_.shared_bytes};

  const WorkSplit split = work_split_of(physics_.lattice, settings_, shape_, m.state.stored());
  tables_.state = m.state.tables();
  tables_.open_per_warp = most_open(split, shape_);
  const int64_t words =
      split.warps() * tables_.open_per_warp *
      open_fields(settings_.passes, m.state.layout().max_act, !part_.state.cells.moments.empty(), true);
  if (m.open.size() < words) {
    m.open = {};
    const int64_t scratch = std::max(m.state.scratch_words(), BrickSharing::scratch_words(m.state));
    m.open = Buffer<uint32_t>(device_, std::max(words, scratch), "the attempts of a round");
  }
  if (m.warps.size() > 0) counts_before_ = counts();
  m.warps = Buffer<WarpNotes>(device_, split.warps(), "the attempts of a round");
  m.warps.fill(0);
  if (settings_.passes != 1 && m.claims.size() == 0) {
    m.claims = Buffer<uint64_t>(device_, m.state.rows(), "the cells");
    m.claims.fill(0xFF);
  }
  if (shape_.skips_dead && m.live.size() == 0)
    m.live = Buffer<uint64_t>(device_, live_words(m.state.stored().lattice), "the map of what is live");
  tables_.extents = nullptr;
  tables_.claims = m.claims.data();
  tables_.open = m.open.data();
  tables_.live = m.live.data();
  tables_.control = control_.data();
  tables_.seed = seed_;
  m.sharing.give(brick_);
  brick_.warps = m.warps.data();
  brick_.open_at = open_at_.data();
  brick_.faults = faults_.data();
  find_live();
}

void BrickPlayer::find_live() {
  live_found_at_ = part_.state.mcs;
  if (!shape_.skips_dead) return;
  memory_->live.fill(0, &stream_);
  find_live_.launch(memory_->state.grid_stride(), stream_, tables_);
}

// Cells come to a brick that has no room for them: all is brought to the host, and given more room.
void BrickPlayer::make_roomier() {
  const std::vector<uint32_t> told = memory_->sharing.told();
  Message came;
  for (const CellId own : sharing_.came()) append_row(came, part_, own);
  memory_->state.fetch_cells(memory_->open);
  memory_->state.fetch_sites();
  Reading rows(came);
  for (const CellId own : sharing_.came()) read_row(rows, part_, own);
  count_here(part_);
  counts_before_ = counts();
  begin(told);
}

void BrickPlayer::check_faults() {
  faults_.download(brought_.data(), 1, 0, &stream_);
  stream_.synchronize();
  if (brought_[0] == 0) return;
  if (brought_[0] & kCellUnknown)
    throw Failure(fmt::format("brick {} heard of a cell that it does not know.", part_.brick.rank));
  throw Failure(fmt::format("brick {} had more to tell in a round than it has room for.", part_.brick.rank));
}

void BrickPlayer::begin_refresh() {
  mail_.look_for_overflow();
  memory_->sharing.begin_finding(brick_, memory_->open);
  is_refreshing_ = true;
}

// The GPU plays on while ranks agree, until rows are wanted.
void BrickPlayer::complete_refresh() {
  is_refreshing_ = false;
  sharing_.agree(memory_->sharing.found(brick_, memory_->open), traffic_);
  memory_->sharing.prepare();
  sharing_.complete([&](const std::vector<CellId>& cells) { memory_->state.fetch_rows(cells); }, traffic_);
  if (!memory_->sharing.take_over(brick_, memory_->open)) {
    make_roomier();
    memory_->sharing.list_shared(brick_);
  }
  fit_mail();
}

void BrickPlayer::fit_mail() {
  std::vector<int64_t> bytes;
  for (const int64_t cells : sharing_.shared_with())
    bytes.push_back(outbox_bytes(cells, sites_per_cell_, settings_, part_.grid.lattice().dimension));
  mail_.fit(sharing_.partners(), bytes);
  mail_.give(brick_);
}

BrickTurn BrickPlayer::turn_at(uint64_t number) const {
  return {number, uint32_t(part_.state.mcs), memory_->stamp};
}

void BrickPlayer::swap(Kind kind, std::size_t record_bytes) {
  brick_.told_before = told_.data() + last_kind_;
  last_kind_ = kind;
  mail_.swap(record_bytes);
  traffic_.swaps += 1;
}

void BrickPlayer::hear_copies() {
  swap(copies, sizeof(SentCopy));
  hear_copies_.launch(memory_->state.grid_stride(), stream_, tables_, brick_, mail_.inboxes(),
                      mail_.partners(), uint32_t(part_.state.mcs));
  mail_.give(brick_);
}

void BrickPlayer::hear_claims() {
  const Launch shape = memory_->state.grid_stride();
  tell_claims_.launch(shape, stream_, tables_, brick_, memory_->stamp);
  swap(claims, sizeof(SentClaim));
  hear_claims_.launch(shape, stream_, tables_, brick_, mail_.inboxes(), mail_.partners(), memory_->stamp);
  mail_.give(brick_);
}

bool BrickPlayer::any_open() {
  open_at_.download(brought_.data(), 1, 0, &stream_);
  stream_.synchronize();
  return exchange_.any(brought_[0] == memory_->stamp);
}

void BrickPlayer::play_round(uint64_t number) {
  judge_all_.launch(launch_, stream_, tables_, brick_, turn_at(number));
  for (int pass = 1; pass != settings_.passes; ++pass) {
    hear_claims();
    carry_out_owned_.launch(launch_, stream_, tables_, brick_, turn_at(number));
    hear_copies();
    const bool open = any_open();
    memory_->stamp -= 1;
    if (!open) return;
    judge_open_.launch(launch_, stream_, tables_, brick_, turn_at(number));
  }
  if (settings_.passes > 1) hear_claims();
  carry_out_all_.launch(launch_, stream_, tables_, brick_, turn_at(number));
  hear_copies();
  if (settings_.passes > 1) memory_->stamp -= 1;
}

void BrickPlayer::advance(int64_t mcs) {
  if (rounds_ == 0) {  // until ranks agree anew, cells are shared as they were given out
    memory_->sharing.list_shared(brick_);
    fit_mail();
  }
  for (int64_t done = 0; done < mcs; ++done) {
    Memory& m = *memory_;
    const int64_t now = part_.state.mcs;
    const SiteLayout& layout = m.state.layout();
    if (layout.max_act > 0 && now + 1 - refreshed_at_ > layout.mcs_between_refreshes()) {
      refresh_stamps_.launch(m.state.grid_stride(), stream_, m.state.tables(), uint32_t(now));
      refreshed_at_ = now;
    }
    if (now - live_found_at_ >= kMcsBetweenRebuilds) find_live();
    if (m.stamp < kLastStamp) {
      m.claims.fill(0xFF, &stream_);
      m.stamp = kFirstStamp;
    }
    for (uint64_t r = clock_.rounds_after(now); r < clock_.rounds_after(now + 1); ++r) {
      const auto at = int(rounds_++ % uint64_t(sharing_.rounds_between()));
      if (at == 0) begin_refresh();
      if (at == sharing_.lag() && is_refreshing_) complete_refresh();
      play_round(r);
    }
    finish_mcs();
  }
  if (is_refreshing_) complete_refresh();  // what the host has, all ranks have agreed on
  check_faults();
}

struct BrickPlayer::Stages {
  BrickPlayer& brick;

  void age_act() {}  // stamps tell how old a site is
  void live(int64_t mcs) { brick.live(mcs); }
  void count_sums() { brick.count_all_sums(); }
  void move_anchors() { brick.move_anchors(); }
  void turn_cells(int64_t mcs) {
    const BrickState& state = brick.memory_->state;
    brick.turn_.launch(state.grid_stride(), brick.stream_, state.tables(), mcs);
  }
};

void BrickPlayer::finish_mcs() {
  part_.state.mcs += 1;
  cells_are_current_ = sites_are_current_ = false;
  Stages stages{*this};
  play_tick(tick_, part_.state.mcs, stages);
}

// Who shares which cells is agreed on first: there are others afterwards.
void BrickPlayer::live(int64_t mcs) {
  if (is_refreshing_) complete_refresh();
  if (tick_.counts && life_->reads_places()) count_all_sums();
  memory_->state.fetch_cells(memory_->open);
  memory_->sharing.fetch_here(part_.here);
  life_->play(mcs);
  if (life_->changed_lattice())
    follow_changes();
  else
    memory_->state.store_cells();
  if (life_->any_events()) fit_mail();  // together with all others
  give_concentrations();
}

// Daughters are known to whom their mothers were.
void BrickPlayer::follow_changes() {
  const BrickShare::Changes& changes = life_->changes();
  const std::vector<uint32_t> told = memory_->sharing.told();
  if (memory_->state.give_rows(changes.born, changes.of_new_type)) {
    memory_->state.change_sites(changes.sites);
    memory_->state.store_cells();
    memory_->sharing.store(told);
    memory_->sharing.give(brick_);
    find_live();
  } else {
    counts_before_ = counts();
    begin(told);
  }
  memory_->sharing.list_shared(brick_);
}

void BrickPlayer::give_concentrations() {
  for (std::size_t s = 0; s < concentrations_.size(); ++s) {
    const std::vector<float>& shown = part_.state.substances[s].shown;
    if (concentrations_[s].size() == 0)
      concentrations_[s] = Buffer<float>(device_, int64_t(shown.size()), "the substances");
    concentrations_[s].upload(shown.data(), int64_t(shown.size()), 0, &stream_);
  }
  stream_.synchronize();
}

// Every brick has counted its own sites.
void BrickPlayer::unite_sums(bool marked_only) {
  const BrickState& state = memory_->state;
  tell_sums_.launch(state.grid_stride(), stream_, state.tables(), brick_, marked_only);
  swap(sums, sizeof(SentSums));
  hear_sums_.launch(state.grid_stride(), stream_, state.tables(), brick_, mail_.inboxes(), mail_.partners());
  mail_.give(brick_);
}

void BrickPlayer::count_all_sums() {
  BrickState& state = memory_->state;
  state.columns().clear_sums(stream_);
  count_sums_.launch(state.grid_stride(), stream_, state.tables(), false);
  unite_sums(false);
}

void BrickPlayer::move_anchors() {
  BrickState& state = memory_->state;
  move_anchors_.launch(state.grid_stride(), stream_, state.tables());
  state.anchors_moved().download(brought_.data(), 1, 0, &stream_);
  stream_.synchronize();
  if (brought_[0] != 0) {
    count_sums_.launch(state.grid_stride(), stream_, state.tables(), true);
    state.anchors_moved().fill(0, &stream_);
  }
  unite_sums(true);
}

void BrickPlayer::fetch(PartOf what) {
  if (what != PartOf::sites && !cells_are_current_) {
    if (tick_.counts) count_all_sums();
    mail_.forget_overflow();  // all sums at once are told for a fetch alone
    memory_->state.fetch_cells(memory_->open);
    cells_are_current_ = true;
  }
  if (what != PartOf::cells && !sites_are_current_) {
    memory_->state.fetch_sites();
    sites_are_current_ = true;
  }
}

AttemptCounts BrickPlayer::counts() const {
  AttemptCounts sum = counts_before_;
  std::vector<WarpNotes> notes(std::size_t(memory_->warps.size()));
  memory_->warps.download(notes.data(), int64_t(notes.size()));
  for (const WarpNotes& warp : notes)
    sum.add({int64_t(warp.attempts), int64_t(warp.live), int64_t(warp.accepted)});
  return sum;
}

Traffic BrickPlayer::traffic() const {
  std::vector<uint64_t> told(kinds);
  told_.download(told.data(), kinds);
  told[last_kind_] += uint64_t(mail_.told_last());
  Traffic sum = traffic_;
  sum.copies = int64_t(told[copies] * sizeof(SentCopy));
  sum.claims = int64_t(told[claims] * sizeof(SentClaim));
  sum.sums = int64_t(told[sums] * sizeof(SentSums));
  return sum;
}

MakeRank ranks_of_gpus(const std::vector<int>& devices, int ranks, uint64_t seed,
                       const tiles::Settings& settings, int max_act, Numbers numbers, int threads,
                       const Model* living) {
  const auto peers = ranks > 0 ? make_peer_group(ranks, devices) : nullptr;
  return {[=](TissuePart part, Exchange& exchange, const Holders& holders, const Physics& physics) {
            const int device = devices[std::size_t(part.brick.rank) % devices.size()];
            return std::make_unique<BrickPlayer>(std::move(part), exchange, holders, physics, seed, settings,
                                                 max_act, device, peers, numbers, threads, living);
          },
          true};
}

}  // namespace kiln::cuda
