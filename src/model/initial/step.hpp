// What the steps of the initial state share: the sites they give away, the cells and their types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "model/initial/first_sites.hpp"
#include "model/initial/rows.hpp"
#include "model/model.hpp"

namespace kiln {

// An image that a model names, and the grid it goes on.
std::unique_ptr<ImageSource> open_image_of(const Model& model, const ImageMask& image);
ImportGrid import_grid(const Model& model);

// A running sequence of draws from one stream of one step.
class StepDraws {
 public:
  StepDraws(uint64_t seed, Stream stream, uint32_t step) : seed_(seed), stream_(stream), step_(step) {}

  Draw next() { return draw(seed_, stream_, index_++, step_); }
  // Uniform in [0, count).
  uint64_t below(uint64_t count) {
    return uint64_t(static_cast<unsigned __int128>(next().ab()) * count >> 64);
  }

 private:
  uint64_t seed_;
  Stream stream_;
  uint32_t step_;
  uint64_t index_ = 0;
};

// One step at work. It takes only sites that are still medium.
class StepBuilder {
 public:
  // `types` has an entry for the medium, and then those of all cells so far.
  StepBuilder(const Model& model, uint32_t number, FirstSites& sites, std::vector<TypeId>& types,
              std::vector<std::string>* notes = nullptr)
      : model_(model),
        number_(number),
        sites_(sites),
        types_(types),
        step_(model.initial[number]),
        notes_(notes) {}

  const Model& model() const { return model_; }
  const Lattice& lattice() const { return sites_.lattice(); }
  const InitialStep& step() const { return step_; }
  StepDraws draws(Stream stream) const { return StepDraws(model_.seed, stream, number_); }

  // The id that the next cell will have. Sites are given to it first; it is created, by add_cell, once it has
  // one.
  CellId next_cell() const { return CellId(types_.size()); }
  void add_cell();
  void add_cell(TypeId type);

  FirstSites& sites() { return sites_; }
  const FirstSites& sites() const { return sites_; }
  bool is_free(const Vec3i& place) const { return sites_.is_free(place); }
  void give(const Vec3i& place, CellId cell) { sites_.give(place, cell); }
  // Gives the site to the next cell where it is medium.
  bool take(const Vec3i& place) {
    if (!is_free(place)) return false;
    give(place, next_cell());
    return true;
  }
  // Gives the medium sites of part of a row to a cell, and says how many.
  int64_t take(int32_t y, int32_t z, Span span, CellId cell);

  // An image of the step, and the grid it goes on.
  std::unique_ptr<ImageSource> open(const ImageMask& image) const { return open_image_of(model_, image); }
  ImportGrid import_grid() const { return kiln::import_grid(model_); }

  // Keeps the step from all medium sites outside of its mask, where it has one, until they are shown again.
  void hide_outside_mask();
  void show_outside_mask();

  int64_t region_sites() const;  // without what is hidden
  int64_t free_region_sites() const;
  // How many cells a density, the share of the free sites that they take at their target volume, asks for.
  double cells_for_density() const;

  // Throws UserError: the model's name, the step, and what is wrong with it; adds the full stop.
  [[noreturn]] void fail(const std::string& what) const;
  void check_cell_count(double cells) const;
  // A sentence about the step for people to read: the step's name and what is odd; adds the full stop.
  void note(const std::string& what) const;
  bool takes_notes() const { return notes_ != nullptr; }

 private:
  template <class Counts>
  int64_t count_region(const Counts& counts) const;
  bool is_hidden(const Vec3i& place) const { return !hidden_.empty() && hidden_[place]; }

  const Model& model_;
  uint32_t number_;
  FirstSites& sites_;
  std::vector<TypeId>& types_;
  const InitialStep& step_;
  std::vector<std::string>* notes_;
  SiteBits hidden_;  // outside of a mask; none where there is no mask
};

void add_boxes(StepBuilder& builder);
void add_hexagonal(StepBuilder& builder);
void add_voronoi(StepBuilder& builder);
void add_seeds(StepBuilder& builder);
void add_fill(StepBuilder& builder);
void add_tube(StepBuilder& builder);
void add_network(StepBuilder& builder);
void add_labels(StepBuilder& builder);
void add_image(StepBuilder& builder);

}  // namespace kiln
