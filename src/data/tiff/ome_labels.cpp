#include "data/tiff/ome_labels.hpp"

#ifdef KILN_HAS_TIFF
#include <algorithm>
#include <pugixml.hpp>
#include <sstream>
#include <vector>

#include "base/atomic_file.hpp"
#include "data/tiff/writer.hpp"

namespace kiln {
namespace {

constexpr const char* kSchema = "http://www.openmicroscopy.org/Schemas/OME/2016-06";

bool fits_16_bits(const LabelImage& image) { return image.largest <= 0xFFFF; }

std::string ome_xml(const LabelImage& image) {
  pugi::xml_document document;
  pugi::xml_node ome = document.append_child("OME");
  ome.append_attribute("xmlns") = kSchema;
  ome.append_attribute("xmlns:xsi") = "http://www.w3.org/2001/XMLSchema-instance";
  ome.append_attribute("xsi:schemaLocation") = (std::string(kSchema) + " " + kSchema + "/ome.xsd").c_str();
  ome.append_attribute("Creator") = "Kiln " KILN_VERSION;
  pugi::xml_node about = ome.append_child("Image");
  about.append_attribute("ID") = "Image:0";
  about.append_attribute("Name") = image.name.c_str();
  pugi::xml_node pixels = about.append_child("Pixels");
  pixels.append_attribute("ID") = "Pixels:0";
  pixels.append_attribute("DimensionOrder") = "XYZCT";
  pixels.append_attribute("Type") = fits_16_bits(image) ? "uint16" : "uint32";
  pixels.append_attribute("BigEndian") = "false";
  for (int axis = 0; axis < 3; ++axis) {
    const std::string letter(1, "XYZ"[axis]);
    pixels.append_attribute(("Size" + letter).c_str()) = image.size[axis];
    pixels.append_attribute(("PhysicalSize" + letter).c_str()) = image.voxel_um[axis];
    pixels.append_attribute(("PhysicalSize" + letter + "Unit").c_str()) = "µm";
  }
  pixels.append_attribute("SizeC") = 1;
  pixels.append_attribute("SizeT") = 1;
  pugi::xml_node channel = pixels.append_child("Channel");
  channel.append_attribute("ID") = "Channel:0:0";
  channel.append_attribute("Name") = "cell";
  channel.append_attribute("SamplesPerPixel") = 1;
  pugi::xml_node data = pixels.append_child("TiffData");
  data.append_attribute("IFD") = 0;
  data.append_attribute("PlaneCount") = image.size.z;
  std::ostringstream text;
  document.save(text, "", pugi::format_raw, pugi::encoding_utf8);
  return text.str();
}

void write_pages(TiffWriter& file, const LabelImage& image) {
  const std::size_t plane = std::size_t(image.size.x) * std::size_t(image.size.y);
  std::vector<uint16_t> narrow(fits_16_bits(image) ? plane : 0);
  for (int32_t z = 0; z < image.size.z; ++z) {
    const uint32_t* labels = image.plane(z);
    if (narrow.empty()) {
      file.add_page(labels);
      continue;
    }
    std::transform(labels, labels + plane, narrow.begin(), [](uint32_t label) { return uint16_t(label); });
    file.add_page(narrow.data());
  }
}

}  // namespace

void write_ome_tiff(const std::filesystem::path& path, const LabelImage& image) {
  write_atomically(path, [&](const std::filesystem::path& temporary) {
    TiffWriter file(temporary, {image.size, fits_16_bits(image) ? 2 : 4, image.voxel_um, ome_xml(image)});
    write_pages(file, image);
  });
}

}  // namespace kiln
#else
#include "base/error.hpp"

namespace kiln {

void write_ome_tiff(const std::filesystem::path&, const LabelImage&) {
  throw Failure(
      "this build of Kiln cannot write TIFF files; install libtiff-dev and libpugixml-dev and rebuild.");
}

}  // namespace kiln
#endif
