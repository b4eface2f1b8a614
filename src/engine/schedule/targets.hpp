// Which sites a schedule tries, in order. It does not depend on the state, so no engine is needed to tell.
#pragma once

#include <functional>
#include <string>

#include "model/model.hpp"

namespace kiln {

// Calls visit(site, time) for every attempt of one MCS; `time` is in MCS since the MCS began. Attempts that
// are made at once get random times within their round.
void for_each_target(const Model& model, const std::string& schedule, int64_t mcs,
                     const std::function<void(Site, double)>& visit);

}  // namespace kiln
