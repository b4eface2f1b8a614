#include "output/state/xdmf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kiln {
namespace {

struct Quantity {
  const char* name;
  const char* dataset;
  const char* number_type;
  int bytes;
};

std::string attribute(const XdmfSeries& series, const XdmfSeries::Step& step, const Quantity& q) {
  return fmt::format(
      R"(        <Attribute Name="{}" AttributeType="Scalar" Center="Cell">
          <DataItem Dimensions="{}" NumberType="{}" Precision="{}" Format="HDF">{}:/{}/{}</DataItem>
        </Attribute>
)",
      q.name, fmt::join(series.sites, " "), q.number_type, q.bytes, series.file, step.group, q.dataset);
}

}  // namespace

std::string xdmf_text(const XdmfSeries& series) {
  const auto [depth, height, width] = series.sites;
  const double spacing = series.voxel_um, origin = -spacing / 2;
  std::string text = R"(<?xml version="1.0" encoding="UTF-8"?>
<Xdmf Version="3.0">
  <Domain>
    <!-- lengths in micrometres, time in minutes -->
    <Grid Name="lattice" GridType="Collection" CollectionType="Temporal">
)";
  for (const XdmfSeries::Step& step : series.steps) {
    text += fmt::format(R"(      <Grid Name="{0}" GridType="Uniform">
        <Time Value="{1}"/>
        <Topology TopologyType="3DCoRectMesh" Dimensions="{2} {3} {4}"/>
        <Geometry GeometryType="ORIGIN_DXDYDZ">
          <DataItem Name="Origin" Dimensions="3" NumberType="Float" Precision="8" Format="XML">{5} {5} {5}</DataItem>
          <DataItem Name="Spacing" Dimensions="3" NumberType="Float" Precision="8" Format="XML">{6} {6} {6}</DataItem>
        </Geometry>
)",
                        step.group, step.minutes, depth + 1, height + 1, width + 1, origin, spacing);
    text += attribute(series, step, {"id", "ids", "UInt", 4});
    text += attribute(series, step, {"type", "type", "UChar", 1});
    if (step.has_act) text += attribute(series, step, {"act", "act", "UInt", 2});
    text += "      </Grid>\n";
  }
  text += "    </Grid>\n  </Domain>\n</Xdmf>\n";
  return text;
}

}  // namespace kiln
