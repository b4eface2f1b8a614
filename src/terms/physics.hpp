// All parameters of the physics, as every engine sees them: plain views into memory that the model owns (or
// that was copied to a device).
#pragma once

#include "core/vector_field.hpp"
#include "terms/act.hpp"
#include "terms/adhesion.hpp"
#include "terms/chemotaxis.hpp"
#include "terms/connectivity.hpp"
#include "terms/frozen.hpp"
#include "terms/perimeter.hpp"
#include "terms/persistence.hpp"
#include "terms/volume.hpp"

namespace kiln {

struct TypePhysics {
  volume::Params volume;
  perimeter::Params perimeter;
  chemotaxis::Params chemotaxis;
  persistence::Params persistence;
  act::Params act;
  connectivity::Params connectivity;
  bool frozen = false;
};

// The parameters of all types. Where all cells that can change are alike (a compiler that specialises for a
// model says so), those of one type serve for all, and need no looking up.
struct TypeTable {
  const TypePhysics* first = nullptr;

  KILN_HD const TypePhysics& operator[](int type) const {
#ifdef KILN_ONLY_TYPE
    return first[type * 0 + KILN_ONLY_TYPE];
#else
    return first[type];
#endif
  }
};

// Which terms any type uses. The engines leave out the rest.
struct TermsInUse {
  bool volume = false, perimeter = false, chemotaxis = false, persistence = false, act = false,
       connectivity = false, frozen = false;
};

struct Physics {
  float temperature = 1;
  Lattice lattice;
  TermsInUse uses;
  TypeTable types;  // [adhesion.types]
  adhesion::Table adhesion;
  const Neighbourhood* adhesion_neighbours = nullptr;
  const Neighbourhood* perimeter_neighbours = nullptr;
  bool adhesion_is_moore = true, perimeter_is_moore = true;
  const VectorField* fields = nullptr;
  const int32_t* act_logs = nullptr;  // [largest Max + 1]
};

}  // namespace kiln
