// Images that cannot be read, and what is said about them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/image/image.hpp"
#include "support/image_files.hpp"

namespace kiln {
namespace {

using image_files::bytes_of;
using image_files::kPlenty;
using image_files::path_of;
using ImageErrors = image_files::WithImages;

// With the folder's name taken out.
std::string error_of(const std::string& name, const ImagePart& part = {}, std::size_t most_bytes = kPlenty) {
  std::string text = "no error";
  try {
    read_image(path_of(name), part, most_bytes);
  } catch (const UserError& e) {
    text = e.what();
  }
  const std::string prefix = path_of("").string();
  for (std::size_t at; (at = text.find(prefix)) != std::string::npos;) text.erase(at, prefix.size());
  return text;
}

// A little-endian TIFF file of pages of 10 x 8 bytes, tag by tag, to be made wrong.
struct Entry {
  uint16_t tag, type;
  uint32_t count, value;
};

std::string number(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += char(value >> (8 * i) & 0xFF);
  return text;
}

std::string tiff_of(std::vector<Entry> changes, uint32_t next = 0, std::size_t pixels = 80) {
  std::vector<Entry> entries = {{256, 4, 1, 10}, {257, 4, 1, 8}, {258, 3, 1, 8},
                                {259, 3, 1, 1},  {262, 3, 1, 1}, {273, 4, 1, 8},
                                {277, 3, 1, 1},  {278, 4, 1, 8}, {279, 4, 1, 80}};
  for (const Entry& change : changes) {
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.tag >= change.tag; });
    if (found != entries.end() && found->tag == change.tag)
      *found = change;
    else
      entries.insert(found, change);
  }
  std::string text = std::string("II*\0", 4) + number(8 + pixels, 4) + std::string(pixels, 'p');
  text += number(entries.size(), 2);
  for (const Entry& entry : entries)
    text += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4) + number(entry.value, 4);
  return text + number(next, 4);
}

TEST_F(ImageErrors, OfFilesThatHoldSomethingElse) {
  image_files::write(path_of("text.tif"), "no picture");
  image_files::write(path_of("empty.tif"), "");
  image_files::write(path_of("text.h5"), "no picture");
  image_files::write(path_of("picture.jpg"), "no picture");
  image_files::write(path_of("text.png"), "no picture");
  struct Case {
    const char* name;
    ImagePart part;
    const char* message;
  };
  const Case cases[] = {
      {"gone.tif", {}, "cannot read gone.tif: No such file or directory."},
      {"picture.jpg",
       {},
       "picture.jpg is no image that can be read; allowed are .npy, .tif, .tiff, .png, .h5 and .hdf5 files "
       "and "
       "folders of TIFF slices."},
      {"text.tif", {}, "text.tif is not a TIFF file: it does not begin like one."},
      {"empty.tif", {}, "empty.tif is not a TIFF file: it does not begin like one."},
      {"text.h5", {}, "cannot read text.h5: it is no whole HDF5 file: file signature not found."},
      {"half.tif",
       {},
       "half.tif holds 16 x 8 pixels of 16-bit floats; allowed are integers of 1 to 64 bits and floats of 32 "
       "or "
       "64 bits."},
      {"sizes.tif",
       {},
       "cannot read sizes.tif: its page 2 has 5 x 4 pixels of 8-bit unsigned integers, but the first has 10 "
       "x 8 "
       "pixels of 8-bit unsigned integers."},
      {"strips_no_lists.tif",
       {},
       "cannot read strips_no_lists.tif: it is damaged: it does not say where strip 0 of a page lies."},
      {"tiled_no_lists.tif",
       {},
       "cannot read tiled_no_lists.tif: it is damaged: it does not say where tile 0 of a page lies."},
      {"deflate_no_lists.tif",
       {},
       "cannot read deflate_no_lists.tif: it is damaged: it does not say where strip 0 of a page lies."},
      {"filters.h5",
       {.dataset = "lzf"},
       "cannot read filters.h5: dataset lzf is compressed by lzf, which this build of HDF5 does not know; "
       "write it with gzip."},
      {"empty", {}, "the folder empty holds no slices (.tif or .tiff)."},
      {"differ",
       {},
       "differ/1.tif has 5 x 5 pixels of 16-bit unsigned integers, but 0.tif has 5 x 6 pixels of 16-bit "
       "unsigned "
       "integers; the slices of a folder must agree."},
      {"unnumbered",
       {},
       "unnumbered/a.tif has no number in its name, so its place among the slices is unknown."},
      {"nothing.h5", {}, "nothing.h5 holds no dataset of numbers with two axes or more."},
      {"axes.h5",
       {},
       "axes.h5 holds several datasets; choose one of axes2, axes3, axes4, axes5, axes6, huge, none."},
      {"axes.h5",
       {.dataset = "axes1"},
       "dataset axes1 of axes.h5 has 1 axis; an image has two to five: (y, x), (z, y, x), (c, z, y, x) or "
       "(t, c, "
       "z, y, x)."},
      {"axes.h5",
       {.dataset = "axes6"},
       "dataset axes6 of axes.h5 has 6 axes; an image has two to five: (y, x), (z, y, x), (c, z, y, x) or "
       "(t, c, "
       "z, y, x)."},
      {"axes.h5",
       {.dataset = "gone"},
       "axes.h5 holds no dataset gone; it holds axes2, axes3, axes4, axes5, axes6, huge, none."},
      {"axes.h5", {.dataset = "none"}, "dataset none of axes.h5 holds no voxels."},
      {"axes.h5",
       {.dataset = "huge"},
       "dataset huge of axes.h5 holds the value 9223372036854775808; integers must lie below 2^63."},
      {"one.h5",
       {.dataset = "words"},
       "cannot read one.h5: dataset words does not hold integers or floats of up to 64 bits."},
      {"filters.h5", {.dataset = "short"}, "cannot read filters.h5: dataset short is damaged."},
      {"filters.h5", {.dataset = "long"}, "cannot read filters.h5: dataset long is damaged."},
      {"filters.h5",
       {.dataset = "external"},
       "cannot read filters.h5: dataset external is kept in other files."},
      {"single.tif", {.dataset = "raw"}, "single.tif is not an HDF5 file, so it has no dataset 'raw'."},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of(c.name, c.part), c.message);
}

TEST_F(ImageErrors, OfChoicesThatAreNotThere) {
  struct Case {
    const char* name;
    ImagePart part;
    const char* message;
  };
  const Case cases[] = {
      {"single.tif", {.channel = 1}, "single.tif has no channel 1; its only one is 0."},
      {"single.tif", {.channel = -1}, "single.tif has no channel -1; its only one is 0."},
      {"single.tif", {.time = 1}, "single.tif has no time 1; its only one is 0."},
      {"rgb.tif", {.channel = 3}, "rgb.tif has no channel 3; it has 3, counted from 0."},
      {"imagej.tif", {.channel = 2}, "imagej.tif has no channel 2; it has 2, counted from 0."},
      {"imagej.tif", {.time = 2}, "imagej.tif has no time 2; it has 2, counted from 0."},
      {"ome_XYZCT.ome.tif", {.time = 2}, "ome_XYZCT.ome.tif has no time 2; it has 2, counted from 0."},
      {"mapped.ome.tif",
       {.time = 1},
       "cannot read mapped.ome.tif: by its OME-XML, slice 1 is not in this file; the series is spread over "
       "several "
       "files, which have to be joined first (as ImageJ does on saving it)."},
      {"axes.h5",
       {.channel = 3, .dataset = "axes4"},
       "dataset axes4 of axes.h5 has no channel 3; it has 3, counted from 0."},
      {"axes.h5",
       {.time = 1, .dataset = "axes4"},
       "dataset axes4 of axes.h5 has no time 1; its only one is 0."},
      {"axes5.npy", {.time = 2}, "axes5.npy has no time 2; it has 2, counted from 0."},
  };
  for (const Case& c : cases) EXPECT_EQ(error_of(c.name, c.part), c.message);
}

TEST_F(ImageErrors, OfMemory) {
  EXPECT_EQ(error_of("strips.tif", {}, 9000),
            "strips.tif needs 9.99 kB of memory for 45 x 37 x 3 voxels of 2 bytes; 9 kB are allowed.");
  EXPECT_EQ(error_of("strips.tif", {}, 3 * 37 * 45 * 2), "no error");
  EXPECT_EQ(error_of("slices", {}, 719),
            "slices needs 720 bytes of memory for 5 x 6 x 12 voxels of 2 bytes; 719 bytes are allowed.");
  EXPECT_EQ(
      error_of("one.h5", {}, 239),
      "dataset volume/inner/raw of one.h5 needs 240 bytes of memory for 5 x 6 x 4 voxels of 2 bytes; 239 "
      "bytes are allowed.");
  EXPECT_EQ(error_of("axes3.npy", {}, 100),
            "axes3.npy needs 120 bytes of memory for 5 x 6 x 2 voxels of 2 bytes; 100 bytes are allowed.");
  EXPECT_EQ(error_of("imagej_one_page.tif", {}, 179),
            "imagej_one_page.tif needs 180 bytes of memory for 5 x 6 x 3 voxels of 2 bytes; 179 bytes are "
            "allowed.");
}

TEST_F(ImageErrors, OfDamagedTiff) {
  const uint32_t start = 88;  // where the directory of tiff_of() is
  const std::pair<std::string, std::string> cases[] = {
      {tiff_of({}), "no error"},
      {tiff_of({{256, 4, 1, 0x7FFFFFFF}, {257, 4, 1, 0x7FFFFFFF}, {278, 4, 1, 0x7FFFFFFF}}),
       "bad.tif needs 4.61e+03 PB of memory for 2147483647 x 2147483647 x 1 voxels of 1 bytes; 1.07 GB are "
       "allowed."},
      {tiff_of({{257, 4, 1, 100000000}, {278, 4, 1, 100000000}}),
       "cannot read bad.tif: it is cut short: 202 bytes cannot hold 1 pages of 10 x 100000000 pixels of "
       "8-bit "
       "unsigned integers."},
      {tiff_of({{257, 4, 1, 100000000}, {259, 3, 1, 8}, {278, 4, 1, 100000000}}),
       "cannot read bad.tif: it is cut short: 202 bytes cannot hold 1 pages of 10 x 100000000 pixels of "
       "8-bit "
       "unsigned integers."},
      {tiff_of({{322, 4, 1, 1 << 20}, {323, 4, 1, 1 << 20}, {324, 4, 1, 8}, {325, 4, 1, 80}}),
       "cannot read bad.tif: a single tile of it is said to have 1.1 TB."},
      {tiff_of({{262, 3, 1, 6}, {277, 3, 1, 3}}),
       "cannot read bad.tif: its pixels are neither grey values nor RGB."},
      {tiff_of({{259, 3, 1, 4711}}),
       "cannot read bad.tif: it is compressed by method 4711, which this build of libtiff does not know."},
      {tiff_of({{254, 4, 1, 1}}), "cannot read bad.tif: it holds only reduced copies of an image."},
      {tiff_of({{32997, 4, 1, 2}}),
       "cannot read bad.tif: its pages are volumes; allowed are pages of one slice each."},
  };
  for (const auto& [bytes, message] : cases) {
    image_files::write(path_of("bad.tif"), bytes);
    EXPECT_EQ(error_of("bad.tif"), message);
  }
  // What libtiff adds in its own words differs from version to version.
  const std::pair<std::string, std::string> starts[] = {
      {tiff_of({}, start), "cannot read bad.tif: its list of pages is damaged after page 1"},
      {tiff_of({}, 100000), "cannot read bad.tif: its list of pages is damaged after page 1"},
      {tiff_of({}).substr(0, 100), "cannot read bad.tif: it is damaged: "},
      {tiff_of({{259, 3, 1, 8}}), "cannot read bad.tif: its pixels are damaged or cut short: "},
      {tiff_of({{273, 4, 1, 190}}), "cannot read bad.tif: its pixels are damaged or cut short: "},
      {bytes_of(path_of("deflate.tif")).substr(0, 2000), "cannot read bad.tif: "},
  };
  for (const auto& [bytes, message] : starts) {
    image_files::write(path_of("bad.tif"), bytes);
    EXPECT_EQ(error_of("bad.tif").substr(0, message.size()), message) << error_of("bad.tif");
  }
}

// A page with this description.
std::string described(const std::string& text) {
  const std::string plain = tiff_of({{270, 2, uint32_t(text.size() + 1), 0}});
  return tiff_of({{270, 2, uint32_t(text.size() + 1), uint32_t(plain.size())}}) + text + '\0';
}

std::string ome(const std::string& sizes, const std::string& inside = "") {
  return "<OME><Image><Pixels " + sizes + ">" + inside + "</Pixels></Image></OME>";
}

TEST_F(ImageErrors, OfDescriptions) {
  const std::string size = "SizeX='10' SizeY='8' SizeC='1' SizeT='1' DimensionOrder='XYZCT' ";
  const std::string no_use = "cannot read bad.tif: the OME-XML in it is of no use: ";
  const std::pair<std::string, std::string> cases[] = {
      {"<MetaData><PlaneInfo/></MetaData>", "no error"},
      {"<unfinished", "no error"},
      {"some <OME> words", "no error"},
      {ome(size + "SizeZ='1'"), "no error"},
      {"<OME><Image></Image>", no_use + "Start-end tags mismatch."},
      {"<OME><Image/></OME>", no_use + "it describes no image."},
      {"<OME><BinaryOnly MetadataFile='a.companion.ome'/></OME>",
       no_use + "its layout is described in another file, 'a.companion.ome'."},
      {ome(size), no_use + "SizeZ is missing."},
      {ome(size + "SizeZ='0'"), no_use + "SizeZ is '0'."},
      {ome(size + "SizeZ='99999999999999999999'"), no_use + "SizeZ is '99999999999999999999'."},
      {ome("SizeX='10' SizeY='8' SizeZ='1' SizeC='1' SizeT='1' DimensionOrder='ZCTXY'"),
       no_use + "DimensionOrder is 'ZCTXY'."},
      {ome("SizeX='9' SizeY='8' SizeZ='1' SizeC='1' SizeT='1' DimensionOrder='XYZCT'"),
       "cannot read bad.tif: by its OME-XML it has 9 x 8 pixels and 1 channel, but its first page has 10 x "
       "8 pixels "
       "of 8-bit unsigned integers."},
      {ome(size + "SizeZ='2147483647'"),
       "cannot read bad.tif: its OME-XML promises 2,147,483,647 slices, but it has 1 page."},
      {ome(size + "SizeZ='1'", "<TiffData IFD='1'/>"),
       "cannot read bad.tif: by its OME-XML, slice 1 is not in this file."},
      {ome(size + "SizeZ='1'", "<TiffData/><TiffData/>"),
       "cannot read bad.tif: its OME-XML lists pages more than once."},
      {"ImageJ=1.53t\nimages=2147483647\nslices=2147483647\n",
       "cannot read bad.tif: it is cut short: 264 bytes cannot hold 2147483647 pages of 10 x 8 pixels of "
       "8-bit "
       "unsigned integers."},
      {"ImageJ=1.53t\nimages=4\nchannels=3\n",
       "cannot read bad.tif: ImageJ's description promises 4 images, but 3 channels of 1 slice at 1 time."},
      {"ImageJ=1.53t\nimages=many\n", "cannot read bad.tif: ImageJ's description of it says images=many."},
  };
  for (const auto& [text, message] : cases) {
    image_files::write(path_of("bad.tif"), described(text));
    EXPECT_EQ(error_of("bad.tif"), message) << text;
  }
}

}  // namespace
}  // namespace kiln
