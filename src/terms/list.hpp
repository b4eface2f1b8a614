// The energy terms that a cell type can have, in the order in which they are added up: the order is part of
// the bits. (Adhesion is apart: its numbers belong to pairs of types, and it always acts.) A new term is its
// header, and one line here.
#pragma once

#include "terms/act.hpp"
#include "terms/chemotaxis.hpp"
#include "terms/connectivity.hpp"
#include "terms/length.hpp"
#include "terms/perimeter.hpp"
#include "terms/persistence.hpp"
#include "terms/volume.hpp"

namespace kiln {

using Terms = TermList<volume::Term,        //
                       perimeter::Term,     //
                       length::Term,        //
                       chemotaxis::Term,    //
                       persistence::Term,   //
                       connectivity::Term,  //
                       act::Term>;

}  // namespace kiln
