#include "engine/cuda/survey/survey.hpp"

#include <algorithm>

#include "core/thinning.hpp"
#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/cuda/driver/nvrtc.hpp"
#include "engine/cuda/model_source.hpp"
#include "engine/cuda/survey/survey_data.hpp"

namespace kiln::cuda {
namespace {

constexpr uint32_t kFirstSlots = 64;                  // per set of neighbours
constexpr int64_t kSetEntries = int64_t(64) << 20;    // of all sets at a time
constexpr int64_t kListEntries = int64_t(256) << 10;  // of a list of sites, at first

template <class T>
std::vector<T> downloaded(const Buffer<T>& buffer, int64_t count) {
  std::vector<T> result(static_cast<std::size_t>(count));
  buffer.download(result.data(), count);
  return result;
}

template <class T>
void make_room(Buffer<T>& buffer, const Device& device, int64_t count, const char* what) {
  if (buffer.size() < count) buffer = Buffer<T>(device, count, what);
}

}  // namespace

std::string survey_source(const Physics& physics, const SiteLayout& layout) {
  // None of its kernels reads a number that may change.
  return model_prologue(physics, layout, 0, Numbers::in_memory) +
         "#include \"engine/cuda/survey/survey.cuh\"\n";
}

Survey::Survey(const Device& device, const Stream& stream, DeviceState& state, const Physics& physics)
    : device_(device),
      stream_(stream),
      state_(state),
      types_(physics.adhesion.types),
      source_(survey_source(physics, state.layout())) {}

void Survey::use_layout(const Physics& physics) {
  source_ = survey_source(physics, state_.layout());
  module_.reset();
}

Function Survey::kernel(const char* name) {
  if (!module_)
    module_.emplace(device_, compile_cached(source_, "survey.cu", architecture_for(device_.info())).cubin);
  return module_->function(name);
}

std::vector<int64_t> Survey::contacts() {
  Buffer<uint64_t> totals(device_, int64_t(types_) * types_, "contacts");
  totals.fill(0, &stream_);
  Launch launch = state_.grid_stride();
  launch.block.x = unsigned(contact_threads(types_));
  kernel("count_contacts").launch(launch, stream_, state_.tables(), totals.data());
  const std::vector<uint64_t> counts = downloaded(totals, totals.size());
  return {counts.begin(), counts.end()};
}

std::vector<uint8_t> Survey::touching(std::span<const uint8_t> keys) {
  const int64_t rows = state_.rows(), cells = state_.cells();
  const Launch launch = state_.grid_stride();
  make_room(flags_, device_, (cells + 7) / 8, "a key per cell");
  make_room(keys_, device_, rows, "a key per cell");
  make_room(touches_, device_, rows, "a flag per cell");
  auto* const on_host = reinterpret_cast<uint8_t*>(flags_.data());
  const bool same_keys = std::equal(keys.begin(), keys.end(), given_keys_.begin(), given_keys_.end());
  if (!same_keys || keys_numbering_ != state_.numbering()) {
    keys_numbering_ = state_.numbering();
    given_keys_.assign(keys.begin(), keys.end());
    std::vector<uint64_t> words(std::size_t(flags_.size()));
    std::copy_n(keys.begin(), std::min(cells, int64_t(keys.size())),
                reinterpret_cast<uint8_t*>(words.data()));
    flags_.upload(words.data(), flags_.size());
    kernel("keys_from_host").launch(launch, stream_, state_.tables(), on_host, keys_.data());
  }
  touches_.fill(0, &stream_);
  kernel("mark_touching").launch(launch, stream_, state_.tables(), keys_.data(), touches_.data());
  if (!state_.last_known().cells.life.empty()) flags_.fill(0, &stream_);  // of those that have ended
  kernel("keys_to_host").launch(launch, stream_, state_.tables(), touches_.data(), on_host);
  std::vector<uint8_t> result(std::size_t(flags_.size()) * 8);
  state_.download(flags_, stream_, [&](int64_t first, std::span<const uint64_t> landed) {
    std::copy(landed.begin(), landed.end(), reinterpret_cast<uint64_t*>(result.data()) + first);
  });
  result.resize(std::size_t(cells));
  return result;
}

void Survey::tracked_sites(const TakeBits& take) {
  const int64_t words = (state_.lattice().sites() + 63) / 64;
  make_room(bits_, device_, words, "a bit per site");
  bits_.fill(0, &stream_);  // the last word may be filled by half
  kernel("mark_tracked")
      .launch(state_.grid_stride(), stream_, state_.tables(), reinterpret_cast<uint32_t*>(bits_.data()));
  state_.download(bits_, stream_, take);
}

LatticeSurvey::ThinnedSites Survey::thinned_sites(int32_t step, bool with_act) {
  const Thinning thinning(state_.lattice(), step);
  const int64_t count = thinning.sites();
  // As long as they are: all of it is downloaded.
  if (thinned_.size() != count) thinned_ = Buffer<uint64_t>(device_, count, "the lattice from afar");
  kernel("thin_sites")
      .launch(state_.grid_stride(), stream_, state_.tables(), step, thinning.size, uint32_t(state_.mcs()),
              thinned_.data());
  ThinnedSites sites;
  sites.ids = HugeVector<CellId>::unset(std::size_t(count));
  if (with_act && state_.layout().max_act > 0) sites.act = HugeVector<ActValue>::unset(std::size_t(count));
  state_.download(thinned_, stream_, [&](int64_t first, std::span<const uint64_t> landed) {
    constexpr std::size_t kTogether = 1 << 16;
    state_.each(int64_t((landed.size() + kTogether - 1) / kTogether), [&](int64_t part) {
      const std::size_t begin = std::size_t(part) * kTogether;
      for (std::size_t i = begin; i < std::min(begin + kTogether, landed.size()); ++i) {
        sites.ids[std::size_t(first) + i] = CellId(landed[i]);
        if (!sites.act.empty()) sites.act[std::size_t(first) + i] = ActValue(landed[i] >> 32);
      }
    });
  });
  return sites;
}

int64_t Survey::sample_size(int64_t stride) const { return (state_.cells() - 2 + stride) / stride; }

void Survey::number_sample(int64_t stride) {
  make_room(numbers_, device_, state_.tables().cells, "a number per cell");
  kernel("number_sample").launch(state_.grid_stride(), stream_, state_.tables(), stride, numbers_.data());
}

// Where the list turns out to be too short, it is made again.
std::vector<LatticeSurvey::SiteOfCell> Survey::sites_of_sample(int64_t stride) {
  number_sample(stride);
  Buffer<uint64_t> count(device_, 1, "a list of sites");
  for (int64_t room = kListEntries;;) {
    Buffer<ListedSite> list(device_, room, "a list of sites");
    count.fill(0, &stream_);
    kernel("list_sites")
        .launch(state_.grid_stride(), stream_, state_.tables(), numbers_.data(), list.data(), room,
                count.data());
    const int64_t found = int64_t(downloaded(count, 1).front());
    if (found > room) {
      room = found;
      continue;
    }
    std::vector<SiteOfCell> result;
    result.reserve(std::size_t(found));
    for (const ListedSite& s : downloaded(list, found)) result.push_back({s.site, s.number});
    std::sort(result.begin(), result.end(),
              [](const SiteOfCell& a, const SiteOfCell& b) { return a.site < b.site; });
    return result;
  }
}

std::vector<int32_t> Survey::neighbours_of_sample(int64_t stride) {
  const int64_t sample = sample_size(stride);
  std::vector<int32_t> sizes(static_cast<std::size_t>(sample));
  number_sample(stride);
  for (uint32_t slots = kFirstSlots;; slots *= 2) {
    const int64_t together = std::max<int64_t>(1, std::min(sample, kSetEntries / slots));
    make_room(sets_, device_, together * slots, "sets of neighbours");
    bool fits = true;
    for (int64_t first = 0; first < sample && fits; first += together)
      fits = collect_neighbours(
          first, slots,
          std::span(sizes).subspan(std::size_t(first), std::size_t(std::min(together, sample - first))));
    if (fits) return sizes;
  }
}

// False where a set was too small.
bool Survey::collect_neighbours(int64_t first, uint32_t slots, std::span<int32_t> sizes) {
  const int64_t count = int64_t(sizes.size());
  make_room(sizes_, device_, count, "sets of neighbours");
  make_room(overflow_, device_, 1, "sets of neighbours");
  sets_.fill(0, &stream_);
  sizes_.fill(0, &stream_);
  overflow_.fill(0, &stream_);
  kernel("collect_neighbours")
      .launch(state_.grid_stride(), stream_, state_.tables(), numbers_.data(), first, count, slots,
              sets_.data(), sizes_.data(), overflow_.data());
  sizes_.download(sizes.data(), count);
  return downloaded(overflow_, 1).front() == 0;
}

}  // namespace kiln::cuda
