"""Writes the images that tests/data/image_test.cpp reads, with programs that are not Kiln: tifffile, h5py, numpy
and, where it is there, ImageMagick. Usage: make_images.py FOLDER. Ends with 77 where a module is missing."""

import os
import struct
import subprocess
import sys
import zlib

try:
    import h5py
    import numpy as np
    import tifffile
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


def values(code, shape, first=0):
    """The formula that the test knows: over the axes (t, c, z, y, x), the last ones of which are in the shape."""
    index = np.indices(shape, dtype=np.int64)
    factors = [71, 53, 29, 13, 7][5 - len(shape) :]
    v = (sum(f * i for f, i in zip(factors, index)) + first) % 251
    if code[0] == "f":
        return ((v - 125) / 8).astype(code)
    scale = {"1": 1, "2": 257, "4": 16777259, "8": 1 << 54}[code[1]]
    return ((v if code[0] == "u" else v - 125) * scale).astype(code)


CODES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8"]


def plain_tiff():
    for code in CODES:
        data = values(code, (3, 5, 7))
        tifffile.imwrite(path(f"type_{code}.tif"), data, photometric="minisblack", metadata=None)
        tifffile.imwrite(path(f"big_{code}.tif"), data, photometric="minisblack", byteorder=">", metadata=None)
    stack = values("u2", (3, 37, 45))
    grey = {"photometric": "minisblack", "metadata": None}
    tifffile.imwrite(path("strips.tif"), stack, rowsperstrip=5, **grey)
    tifffile.imwrite(path("bigtiff.tif"), stack, bigtiff=True, **grey)
    tifffile.imwrite(path("bigtiff_be.tif"), stack, bigtiff=True, byteorder=">", **grey)
    tifffile.imwrite(path("deflate.tif"), stack, compression="zlib", rowsperstrip=8, **grey)
    tifffile.imwrite(path("tiled.tif"), stack, tile=(16, 32), **grey)
    tifffile.imwrite(path("tiled_deflate_be.tif"), stack, tile=(16, 16), compression="zlib", byteorder=">", **grey)
    tifffile.imwrite(path("lzma.tif"), stack, compression="lzma", **grey)
    for code in ["u1", "i1", "u2", "f4"]:
        tifffile.imwrite(path(f"white_{code}.tif"), values(code, (2, 5, 7)), photometric="miniswhite", metadata=None)
    for name, per_unit, unit in [("single", (4000, 2000), "CENTIMETER"), ("inch", (25400, 12700), "INCH"),
                                 ("no_unit", (4, 4), "NONE")]:
        tifffile.imwrite(path(f"{name}.tif"), values("u1", (37, 45)), photometric="minisblack", resolution=per_unit,
                         resolutionunit=unit)
    tifffile.imwrite(path("bits.tif"), values("u1", (8, 16)) > 100, photometric="minisblack")
    tifffile.imwrite(path("half.tif"), values("f4", (8, 16)).astype("f2"), photometric="minisblack")


def without_lists():
    """Directories whose lists of where pixels lie have no entries."""
    for source in ["strips", "tiled", "deflate"]:
        with open(path(source + ".tif"), "rb") as file:
            text = bytearray(file.read())
        at = int.from_bytes(text[4:8], "little")
        for entry in range(at + 2, at + 2 + 12 * int.from_bytes(text[at : at + 2], "little"), 12):
            if int.from_bytes(text[entry : entry + 2], "little") in (273, 279, 324, 325):
                text[entry + 4 : entry + 8] = bytes(4)
        with open(path(source + "_no_lists.tif"), "wb") as file:
            file.write(text)


def few_bits():
    """Values of 1, 2 and 4 bits, as a bilevel TIFF of odd width and as PNG; the test knows the formula of `values`."""
    tifffile.imwrite(path("bits_odd.tif"), values("u1", (5, 19)) > 100, photometric="minisblack", rowsperstrip=2)
    tifffile.imwrite(path("bits_white.tif"), values("u1", (5, 19)) > 100, photometric="miniswhite")
    for depth in [1, 2, 4]:
        png(f"grey_{depth}.png", values("u1", (5, 19)) % (1 << depth), depth, 0)
    png("grey_8.png", values("u1", (5, 7)), 8, 0)
    png("grey_16.png", values("u2", (5, 7)), 16, 0)
    png("palette.png", values("u1", (5, 7)) % 16, 8, 3)
    png("palette_4.png", values("u1", (5, 7)) % 16, 4, 3)
    png("rgb.png", np.zeros((5, 21), "u1"), 8, 2)


def png(name, data, depth, colours):
    """By the standard: chunks of a length, a name, bytes and their sum; rows packed from the highest bit on."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    height, width = data.shape
    if colours == 2:
        width //= 3
    rows = b""
    for row in data:
        if depth < 8:
            bits = "".join(format(int(v), f"0{depth}b") for v in row)
            bits += "0" * (-len(bits) % 8)
            rows += b"\0" + bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))
        else:
            rows += b"\0" + row.astype(">u2" if depth == 16 else "u1").tobytes()
    palette = chunk(b"PLTE", bytes(255 - v % 7 for v in range(3 * 16))) if colours == 3 else b""
    with open(path(name), "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, 0)))
        file.write(palette + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def samples():
    """Channel c of slice z, as samples: interleaved, apart, and both in tiles."""
    data = values("u2", (3, 4, 37, 45))  # (c, z, y, x)
    mixed = np.moveaxis(data, 0, -1)
    apart = np.moveaxis(data, 0, 1)
    for name, options in {"": {}, "_tiled": {"tile": (16, 16), "compression": "zlib"}}.items():
        tifffile.imwrite(path(f"rgb{name}.tif"), mixed, photometric="rgb", metadata=None, **options)
        tifffile.imwrite(path(f"planar{name}.tif"), apart, photometric="rgb", planarconfig="separate", metadata=None, **options)


def ome():
    data = values("u2", (2, 2, 3, 6, 5))  # (t, c, z, y, x)
    for order in ["XYZCT", "XYZTC", "XYCZT", "XYCTZ", "XYTCZ", "XYTZC"]:
        axes = order[::-1]
        moved = data.transpose(["TCZYX".index(axis) for axis in axes])
        size = {"PhysicalSizeX": 0.25, "PhysicalSizeXUnit": "µm", "PhysicalSizeY": 250.0, "PhysicalSizeYUnit": "nm"}
        size |= {"PhysicalSizeZ": 0.002, "PhysicalSizeZUnit": "mm"}
        tifffile.imwrite(path(f"ome_{order}.ome.tif"), moved, photometric="minisblack", metadata={"axes": axes, **size})
    rgb = np.moveaxis(values("u1", (3, 2, 6, 5)), 0, -1)
    tifffile.imwrite(path("rgb.ome.tif"), rgb, photometric="rgb", metadata={"axes": "ZYXS", "PhysicalSizeX": 0.5})

    # Pages in an order of their own, which only TiffData knows; two of them belong to another file.
    planes = [(c, z) for z in (2, 0, 1) for c in (1, 0)]
    entries = "".join(
        f'<TiffData IFD="{i}" FirstC="{c}" FirstZ="{z}" PlaneCount="1"><UUID FileName="mapped.ome.tif">urn:a</UUID></TiffData>'
        for i, (c, z) in enumerate(planes)
    )
    entries += '<TiffData IFD="0" FirstT="1" PlaneCount="6"><UUID FileName="other.ome.tif">urn:b</UUID></TiffData>'
    xml = (
        '<?xml version="1.0"?><ome:OME xmlns:ome="http://www.openmicroscopy.org/Schemas/OME/2016-06" UUID="urn:a">'
        '<ome:Image ID="Image:0"><ome:Pixels ID="Pixels:0" DimensionOrder="XYCZT" Type="uint16" SizeX="5" SizeY="6" '
        'SizeZ="3" SizeC="2" SizeT="2" PhysicalSizeX="3" PhysicalSizeXUnit="Å" PhysicalSizeY="2" PhysicalSizeZ="7" '
        'PhysicalSizeZUnit="pixel">' + entries.replace("TiffData", "ome:TiffData").replace("UUID", "ome:UUID")
        + "</ome:Pixels></ome:Image></ome:OME>"
    )
    with tifffile.TiffWriter(path("mapped.ome.tif"), ome=False) as file:
        for i, (c, z) in enumerate(planes):
            file.write(data[0, c, z], photometric="minisblack", metadata=None, description=xml.encode() if i == 0 else None)


def imagej():
    data = values("u2", (2, 2, 3, 6, 5)).swapaxes(1, 2)  # (t, z, c, y, x)
    options = {"imagej": True, "photometric": "minisblack", "resolution": (4.0, 2.0)}
    meta = {"axes": "TZCYX", "spacing": 1.5, "unit": "um"}
    tifffile.imwrite(path("imagej.tif"), data, metadata=meta, **options)
    tifffile.imwrite(path("imagej_one_page.tif"), data, metadata=meta, truncate=True, **options)
    tifffile.imwrite(path("imagej_nm.tif"), data[:, :, 0], metadata={"axes": "TZYX", "spacing": 300, "unit": "nm"}, **options)
    for name, density in {"imagej_no_unit": (1.0, 1.0), "imagej_no_unit_fine": (4.0, 2.0)}.items():
        tifffile.imwrite(path(name + ".tif"), data[0, :, 0], imagej=True, photometric="minisblack", resolution=density,
                         metadata={"axes": "ZYX", "spacing": 4})


def pyramids():
    with tifffile.TiffWriter(path("pyramid.tif")) as file:
        for z in range(3):
            file.write(values("u1", (3, 8, 10))[z], photometric="minisblack", metadata=None)
            file.write(values("u1", (4, 5)), photometric="minisblack", subfiletype=1, metadata=None)
    with tifffile.TiffWriter(path("sizes.tif")) as file:
        file.write(values("u1", (8, 10)), photometric="minisblack", metadata=None)
        file.write(values("u1", (4, 5)), photometric="minisblack", metadata=None)


def slices():
    for name in ["slices", "differ", "empty", "unnumbered"]:
        os.mkdir(path(name))
    data = values("u2", (12, 6, 5))
    for z in range(12):
        tifffile.imwrite(path(f"slices/c1_slice{z + 1}.tif{'f' * (z % 2)}"), data[z], photometric="minisblack")
    for z in range(2):
        tifffile.imwrite(path(f"differ/{z}.tif"), data[z, : 6 - z], photometric="minisblack")
    tifffile.imwrite(path("unnumbered/a.tif"), data[0], photometric="minisblack")
    open(path("slices/notes.txt"), "w").close()


def hdf5():
    for order in "<>":
        with h5py.File(path("little.h5" if order == "<" else "big.h5"), "w") as file:
            for code in CODES:
                file.create_dataset(code, data=values(code, (3, 5, 7)), dtype=order + code)
            file["half"] = values("f4", (3, 5, 7)).astype(order + "f2")
            file["mask"] = values("u1", (3, 5, 7)) > 100
    for name, options in {"one.h5": {}, "latest.hdf5": {"libver": "latest"}}.items():
        with h5py.File(path(name), "w", **options) as file:
            group = file.create_group("volume/inner")
            data = group.create_dataset("raw", data=values("u2", (4, 6, 5)), chunks=(2, 4, 4), compression="gzip", shuffle=True)
            data.attrs["element_size_um"] = np.array([2.0, 0.5, 0.25], dtype="f4")
            file["list"] = np.arange(5)
            file["words"] = np.array([[b"a", b"b"]])
            file["volume/loop"] = file["volume"]
    with h5py.File(path("filters.h5"), "w") as file:
        layouts = {"contiguous": {}, "chunked": {"chunks": (2, 3, 4)}}
        layouts |= {"gzip": {"compression": "gzip", "chunks": (2, 3, 4)}, "sum": {"fletcher32": True, "chunks": (2, 3, 4)}}
        layouts |= {"all": {"compression": "gzip", "shuffle": True, "fletcher32": True, "chunks": (2, 3, 4)}}
        for name, options in layouts.items():
            file.create_dataset(name, data=values("u2", (5, 7, 9)), **options)
        # More chunks than are read at once.
        file.create_dataset("tiny", data=values("u2", (5, 37, 45)), chunks=(1, 3, 2))
        # One chunk is written, the others are not there.
        for name in ["sparse", "sparse_gzip"]:
            data = file.create_dataset(name, (5, 7, 9), "u2", **layouts["chunked" if name == "sparse" else "gzip"])
            data[2:4, 3:6, 4:8] = values("u2", (5, 7, 9))[2:4, 3:6, 4:8]
        # Chunks that unpack to less and to more than they should.
        for name, text in {"short": b"short", "long": bytes(1000)}.items():
            data = file.create_dataset(name, (5, 7, 9), "u2", **layouts["gzip"])
            data.id.write_direct_chunk((2, 3, 4), zlib.compress(text))
        file.create_dataset("external", (2, 3), "u1", external=[("other.raw", 0, 6)])
        file.create_dataset("lzf", data=values("u2", (5, 7, 9)), compression="lzf")
    with h5py.File(path("axes.h5"), "w") as file:
        for axes in range(1, 7):
            file[f"axes{axes}"] = values("u1", (2, 3, 2, 6, 5)[5 - axes :]) if axes < 6 else np.zeros((1,) * 6)
        file["none"] = np.zeros((3, 0, 2))
        file["huge"] = np.full((1, 1), 2**63, dtype="u8")
    with h5py.File(path("nothing.h5"), "w") as file:
        file["list"] = np.arange(5)


def arrays():
    for axes in range(2, 6):
        np.save(path(f"axes{axes}.npy"), values("i2", (2, 3, 2, 6, 5)[5 - axes :]))


def magick():
    program = "/usr/bin/convert"
    if not os.path.exists(program):
        return
    stack = values("u2", (3, 37, 45))
    for code, name in {"u2": "magick_source.tif", "u1": "magick_source8.tif"}.items():
        tifffile.imwrite(path(name), values(code, (3, 37, 45)), photometric="minisblack", metadata=None)
    wanted = {"None": [], "LZW": [], "Zip": [], "RLE": [], "LZMA": []}
    for method, options in wanted.items():
        for source, name in {"magick_source.tif": "16", "magick_source8.tif": "8"}.items():
            target = path(f"magick_{method}_{name}.tif")
            subprocess.run([program, path(source), "-compress", method, target], check=True)
    subprocess.run([program, path("magick_source.tif"), "-endian", "MSB", "-define", "tiff:tile-geometry=16x16", "-compress", "LZW", path("magick_tiled_be.tif")], check=True)
    subprocess.run([program, "-size", "45x37", "xc:rgb(200,100,50)", "-compress", "JPEG", "-quality", "100", path("magick_jpeg.tif")], check=True)


for make in [plain_tiff, without_lists, few_bits, samples, ome, imagej, pyramids, slices, hdf5, arrays, magick]:
    make()
