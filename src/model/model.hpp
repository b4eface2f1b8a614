// A model, read and checked: a value that never changes while it runs. Everything here is valid by
// construction; see read.hpp for how it is made.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/colour.hpp"
#include "core/state.hpp"
#include "data/image/import.hpp"
#include "data/speed_table.hpp"
#include "model/initial/phantom.hpp"
#include "model/initial/region.hpp"
#include "model/living/living.hpp"
#include "model/substances.hpp"
#include "terms/physics.hpp"

namespace kiln {

struct Units {
  double voxel_um = 1.0;  // edge of a site
  double seconds_per_mcs = 1.0;

  bool operator==(const Units&) const = default;
};

// Index 0 is always the medium.
struct CellType {
  std::string name;
  Colour colour;
  bool frozen = false;
  bool hidden = false;  // not drawn in 3-D pictures
};

std::vector<bool> frozen_flags(const std::vector<CellType>& types);

// A vector per site, or what it is computed from.
struct FieldData {
  std::string name;
  VectorField field;
  std::string file;                                  // for stored fields, as written in the model
  std::shared_ptr<const std::vector<float>> values;  // behind field.data
};

// What the physics of all phases share. Never changes once made, so copies of a model point to the same one.
struct Surroundings {
  Lattice lattice;
  Neighbourhood adhesion_neighbours, perimeter_neighbours;
  std::vector<VectorField> fields;
  std::vector<std::shared_ptr<const std::vector<float>>> field_values;
  std::vector<SubstanceView> substances;  // their voxels; values are part of a state
};

// The parameters of one phase and the memory behind the view that engines use.
struct PhysicsData {
  float temperature = 20;
  std::vector<TypePhysics> types;
  std::vector<double> adhesion;  // types x types, symmetric, as given
  // The parameters of a type as the model gives them: what cells begin with, where rules or growth give each
  // one of its own later. Empty: as `types` has them.
  std::vector<TypePhysics> declared_types;
  const TypePhysics& declared(std::size_t type) const {
    return declared_types.empty() ? types[type] : declared_types[type];
  }
  // kOwnTarget for "start".
  float declared_volume(std::size_t type) const { return declared(type).volume.target; }
  TermsInUse uses;  // terms with a state of their own: whether any phase uses them

  // Valid as long as this PhysicsData lives and is not assigned to.
  Physics view() const;

  std::shared_ptr<const Surroundings> surroundings;
  std::vector<int32_t> adhesion_units;
  float adhesion_unit = 1;
  std::vector<int32_t> act_logs;
};

struct Phase {
  std::string name;
  int64_t mcs = 0;
  bool measured = true;  // measures and pictures are taken during this phase
  PhysicsData physics;
};

// An image, from a file or generated, and which part of it counts.
struct ImageMask {
  std::string file;                      // as written in the model
  std::optional<PhantomSource> phantom;  // in place of a file
  ImagePlacement placement;
  Segmentation segmentation;
  bool mirror = true;  // fill the lattice with mirror images

  std::string name() const;  // for messages
};

// One step of building the first state. Steps run in order, and each takes only sites that are still medium.
struct InitialStep {
  enum class Kind {
    boxes,      // a grid of boxes, one cell each, cut at the lattice's edge and by the region
    hexagonal,  // hexagonal rows, in 3-D a hexagonal close packing: each cell has the sites nearest to its
                // point
    voronoi,    // each cell has the sites nearest to its seed; seeds are sites drawn at random
    seeds,      // balls at random places, one cell each, `count` of them or as many as `density` asks for
    fill,       // one cell that takes the whole region (frozen geometry: a ball, a box, what lies outside)
    tube,       // one cell: a cylinder with round ends from `from` to `to`
    network,    // one cell: random nodes joined by tubes, until `fraction` of the region is taken
    labels,     // an image of labels
    image,      // one cell: what lies on one side of a threshold
  };
  // What becomes of a piece of a packing that has less than `smallest_share` of a full one.
  enum class Slivers {
    keep,  // a cell like any other
    give,  // part of the piece with which it shares the longest border
    drop,  // medium
  };
  Kind kind = Kind::boxes;
  std::vector<std::pair<TypeId, double>> types;  // type and weight; drawn per cell
  Region region;
  std::optional<ImageMask> mask;    // the step takes nothing outside of it
  Vec3i box{5, 5, 5};               // boxes
  Vec3i spacing{5, 5, 5};           // boxes: from one box's corner to the next; at least `box`
  Slivers slivers = Slivers::keep;  // boxes, hexagonal, voronoi
  double smallest_share = 0.4;
  std::optional<int64_t> count;  // seeds, voronoi
  // seeds, voronoi: share of the region's free sites covered once cells have target volume
  std::optional<double> density;
  double volume = 100;      // hexagonal; voronoi without the two above: mean number of sites of a cell
  int relax = 0;            // voronoi: how often seeds are moved to the centroids of their cells
  double radius = 1;        // seeds, tube, network
  Vec3d from, to;           // tube
  double fraction = 0;      // network
  double node_spacing = 0;  // network: mean distance of nodes
  ImageMask image;          // image; of labels file and placement
  // labels: by value. A label that is not listed has the first entry of `types`. Label 0 is left as it is.
  std::map<int64_t, TypeId> label_types;
  std::string label_types_file;  // where they were read from; empty where the model itself lists them
  // labels: the site of the image's first voxel, or the image in the lattice's middle. Without either the
  // image has the lattice's size.
  std::optional<Vec3i> offset;
  bool centred = false;
};

// Of the `checkerboard` schedule; see engine/schedule/checkerboard.hpp.
struct CheckerboardSettings {
  int region = 4;        // sites per side
  int per_thread = 8;    // sites per side of a block
  int switch_every = 1;  // attempts of a block; at most as many as a region has sites
  bool random_order = false;
  bool mutex = false;         // one accepted copy per cell between two barriers
  bool draws_source = false;  // in the active region, and the target beside it; else the target in it
  enum class Barriers { attempt, region, none };
  Barriers barriers = Barriers::attempt;  // when all blocks wait for each other, beside the end of an MCS
  // A fault, kept to see what it does: an MCS has the random numbers of the one before, until there are new
  // ones after so many. 0: never replayed.
  int replayed_mcs = 0;

  bool operator==(const CheckerboardSettings&) const = default;
};

struct MeasureSettings {
  int64_t every = 10;         // MCS between rows of measures.csv; 0: never
  int64_t cells_every = 100;  // MCS between samples of the tracks; 0: never
  enum class CellsFormat { automatic, csv, hdf5 };
  CellsFormat cells_format = CellsFormat::automatic;
  std::optional<int64_t> one_cell_in;  // which cells are in the tracks; chosen where it is not given

  std::vector<int64_t> speed_intervals_mcs;  // over which speeds are taken; empty: never
  double arrest_below_um_per_min = 2;
  std::vector<SpeedBin> reference_speeds;  // empty: none

  bool explored = false;                // whether to count the sites that cells have visited
  int64_t explored_cells = 1000;        // at most so many cells are looked at one by one
  std::optional<int> halves;            // the axis along which cells are split in two, to see how they mix
  std::vector<double> mixed_within_um;  // distances of centroids at which a cell counts as mixed, too

  bool direction_correlation = false;
  double correlation_distance_um = 50;
  int64_t correlation_cells = 10'000;  // at most so many cells are compared with those around them

  bool operator==(const MeasureSettings&) const = default;
};

inline constexpr int kWidestPicture = 16384;  // pixels
inline constexpr int kTallestPicture = 65535;

struct PictureSettings {
  enum class View { slice, solid };  // slice: a plane (all of a 2-D lattice); solid: shaded surfaces
  enum class ColourBy { type, cell, act, property, substance };
  enum class FrameOf { lattice, tissue };
  enum class Decoration { full, scale, none };
  std::string name;
  View view = View::slice;
  ColourBy colour_by = ColourBy::type;
  std::string shown;                         // property or substance that colours show
  std::vector<double> range;                 // of its values, two; empty: those of each picture
  FrameOf frame = FrameOf::lattice;          // what fills the picture
  Decoration decoration = Decoration::full;  // below it: all; the scale and the time; nothing
  int axis = 2;                              // slice: the axis that is cut across
  std::optional<int32_t> position;           // slice: where; middle if not given
  bool borders = true;
  int width = 0;                // pixels; 0: chosen from the lattice
  bool cut_away = false;        // solid: the nearest octant is taken out
  int64_t one_cell_in = 1;      // solid: the others are left out
  double turn = 30, tilt = 25;  // solid: where the camera stands, degrees
  int64_t every = 0;            // MCS between pictures; 0: first and last state only
  bool animation = false;       // all pictures of this view as one APNG
  bool mp4 = true;              // and as MP4, where ffmpeg is there

  // Whether colours stand for numbers on a scale of their own.
  bool shows_number() const { return colour_by == ColourBy::property || colour_by == ColourBy::substance; }

  bool operator==(const PictureSettings&) const = default;
};

struct OutputSettings {
  int64_t lattice_every = 0;      // MCS between snapshots; 0: last state only
  int64_t checkpoint_every = 0;   // MCS between checkpoints; 0: by the clock, at the end, when interrupted
  bool lattice_hdf5 = true;       // snapshots go into lattice.h5
  bool lattice_ome_tiff = false;  // and, or, into labels/

  bool operator==(const OutputSettings&) const = default;
};

// How closely a parallel run has to follow the serial chain.
enum class Fidelity { standard, close, strict };

struct Model {
  std::string source;  // file name as given, for messages
  std::string folder;  // where relative file names start
  std::string title;
  uint64_t seed = 1;
  Fidelity fidelity = Fidelity::standard;
  Lattice lattice;
  Units units;
  std::vector<CellType> types;
  Neighbourhood adhesion_neighbours, perimeter_neighbours;
  int adhesion_order = 0, perimeter_order = 0;
  std::vector<FieldData> fields;
  std::vector<SubstanceData> substances;
  std::vector<InitialStep> initial;
  std::vector<Phase> phases;             // at least one
  std::shared_ptr<const Living> living;  // nullptr: cells only move
  bool has_phases = false;               // the file names them; otherwise there is one, "run"
  CheckerboardSettings checkerboard;
  MeasureSettings measure;
  std::vector<PictureSettings> pictures;
  OutputSettings output;
  std::string resolved;  // the whole model as TOML, every default written out

  int64_t total_mcs() const;
  // The phase that the MCS after `mcs` belongs to; the last one from its end on.
  int phase_number(int64_t mcs) const;
  const Phase& phase_at(int64_t mcs) const { return phases[std::size_t(phase_number(mcs))]; }
  int64_t phase_end(int64_t mcs) const;  // its last MCS
  std::vector<bool> frozen_types() const;
  bool uses_act() const;    // in any phase
  bool migrates() const;    // in any phase, cells are driven: by Act, persistence or chemotaxis
  int largest_act() const;  // the largest Max of Act in any phase, 0 without
  bool reads(OptionalColumn column) const;  // a term of any phase does
  bool has_own_targets() const;             // cells of some type, in any phase
  bool has_own_lambdas() const;             // the same
  // Whether something happens between two MCS beside motion: cells live, or substances spread.
  bool has_stages() const { return living != nullptr || !substances.empty(); }
  int history_length() const;  // the largest dt of persistence in any phase, 0 without
};

// Gives the state the optional columns that terms of the model read, and counts all that follows from the
// lattice (see recount).
void count_anew(const Model& model, State& state, bool keep_anchors);

// What a name stands for as the colour of pictures; nothing where a model does not know it.
std::optional<PictureSettings::ColourBy> colour_named(const Model& model, const std::string& name);

// The name of a kind in model files.
const char* kind_name(InitialStep::Kind kind);
inline constexpr int kInitialKinds = int(InitialStep::Kind::image) + 1;

// The first state: steps applied, bookkeeping counted, directions drawn. `notes` gets a sentence for every
// step that placed nothing, and for labels that were left out.
State initial_state(const Model& model, std::vector<std::string>* notes = nullptr);

// What a run needs, in bytes, before anything is allocated.
struct MemoryNeed {
  double sites = 0, cells = 0, fields = 0, history = 0;
  double total() const { return sites + cells + fields + history; }
};
MemoryNeed memory_need(const Model& model, double cell_count);

// About how many cells the initial steps place, those of frozen types among them or not.
enum class Frozen { counted, left_out };
double expected_cells(const Model& model, Frozen frozen = Frozen::counted);

// In bytes.
double physical_memory();

// Throws UserError, with both numbers, where a run of this model needs more than there is.
void require_memory(const Model& model, double available = physical_memory());

}  // namespace kiln
