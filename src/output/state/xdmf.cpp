#include "output/state/xdmf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kiln {
namespace {

struct Quantity {
  std::string name, dataset;
  const char* number_type;
  int bytes;
};

// A series of images with one size of voxels.
struct Images {
  std::string name;
  std::array<int32_t, 3> voxels;
  double edge_um, first_um;  // first_um: where the first voxel begins
};

std::string attribute(const XdmfSeries& series, const Images& images, const XdmfSeries::Step& step,
                      const Quantity& q) {
  return fmt::format(
      R"(        <Attribute Name="{}" AttributeType="Scalar" Center="Cell">
          <DataItem Dimensions="{}" NumberType="{}" Precision="{}" Format="HDF">{}:/{}/{}</DataItem>
        </Attribute>
)",
      q.name, fmt::join(images.voxels, " "), q.number_type, q.bytes, series.file, step.group, q.dataset);
}

// `attributes(step)` is what images of a step show.
template <class Attributes>
std::string collection(const XdmfSeries& series, const Images& images, const Attributes& attributes) {
  const auto [depth, height, width] = images.voxels;
  std::string text = fmt::format(R"(    <Grid Name="{}" GridType="Collection" CollectionType="Temporal">
)",
                                 images.name);
  for (const XdmfSeries::Step& step : series.steps) {
    text += fmt::format(R"(      <Grid Name="{0}" GridType="Uniform">
        <Time Value="{1}"/>
        <Topology TopologyType="3DCoRectMesh" Dimensions="{2} {3} {4}"/>
        <Geometry GeometryType="ORIGIN_DXDYDZ">
          <DataItem Name="Origin" Dimensions="3" NumberType="Float" Precision="8" Format="XML">{5} {5} {5}</DataItem>
          <DataItem Name="Spacing" Dimensions="3" NumberType="Float" Precision="8" Format="XML">{6} {6} {6}</DataItem>
        </Geometry>
)",
                        step.group, step.minutes, depth + 1, height + 1, width + 1, images.first_um,
                        images.edge_um);
    text += attributes(step) + "      </Grid>\n";
  }
  return text + "    </Grid>\n";
}

}  // namespace

std::string xdmf_text(const XdmfSeries& series) {
  const double first = -series.voxel_um / 2;
  const Images lattice{"lattice", series.sites, series.voxel_um, first};
  std::string text = R"(<?xml version="1.0" encoding="UTF-8"?>
<Xdmf Version="3.0">
  <Domain>
    <!-- lengths in micrometres, time in minutes -->
)";
  text += collection(series, lattice, [&](const XdmfSeries::Step& step) {
    return attribute(series, lattice, step, {"id", "ids", "UInt", 4}) +
           attribute(series, lattice, step, {"type", "type", "UChar", 1}) +
           (step.has_act ? attribute(series, lattice, step, {"act", "act", "UInt", 2}) : "");
  });
  for (const XdmfSeries::Substance& s : series.substances) {
    const Images images{s.name, s.voxels, series.voxel_um * s.coarsen, first};
    text += collection(series, images, [&](const XdmfSeries::Step& step) {
      return attribute(series, images, step, {s.name, "substances/" + s.name, "Float", 8});
    });
  }
  return text + "  </Domain>\n</Xdmf>\n";
}

}  // namespace kiln
