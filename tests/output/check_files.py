"""What other programs find in Kiln's files: each function asserts that it is what the test says. Usage:
check_files.py FUNCTION ARGUMENTS... Ends with 77 where a module is missing."""

import sys

try:
    import h5py
    import numpy as np
    import tifffile
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)


def labels(file, ids, shape, dtype, voxel_um, name):
    """An OME-TIFF of labels; `ids` holds the same as raw 32-bit numbers."""
    import xml.etree.ElementTree as tree

    shape = tuple(int(n) for n in shape.split(","))
    expected = np.fromfile(ids, "<u4").reshape(shape)
    with tifffile.TiffFile(file) as tiff:
        assert tiff.is_ome and not tiff.is_imagej
        assert len(tiff.series) == 1
        series = tiff.series[0]
        # tifffile leaves out axes of length 1.
        flat = shape[0] == 1
        assert series.axes == ("YX" if flat else "ZYX"), series.axes
        assert series.dtype == np.dtype(dtype), series.dtype
        found = series.asarray()
        assert found.shape == (shape[1:] if flat else shape), found.shape
        assert np.array_equal(found.reshape(shape), expected)
        assert all(page.compression.name == "ADOBE_DEFLATE" for page in tiff.pages)
        space = {"ome": "http://www.openmicroscopy.org/Schemas/OME/2016-06"}
        image = tree.fromstring(tiff.ome_metadata).find("ome:Image", space)
        assert image.get("Name") == name, image.get("Name")
        pixels = image.find("ome:Pixels", space)
        for axis, length in zip("ZYX", shape):
            assert int(pixels.get(f"Size{axis}")) == length
            assert float(pixels.get(f"PhysicalSize{axis}")) == float(voxel_um)
            assert pixels.get(f"PhysicalSize{axis}Unit") == "µm"


def tracks(file, table, one_cell_in):
    """cells.h5, column by column, against the cells.csv of the same run."""
    import csv

    with open(table, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    with h5py.File(file) as found:
        cells = found["cells"]
        assert set(cells) == set(rows[0]), set(cells)
        for name, column in cells.items():
            assert column.chunks and column.compression == "gzip", name
            if name == "type":
                types = found.attrs["type_names"]
                assert [types[i] for i in column] == [row[name] for row in rows]
            else:
                expected = np.array([float(row[name] or "nan") for row in rows])
                if name in "xyz":
                    assert column.attrs["unit"] == "um"
                    expected = expected.astype("f4")
                assert np.array_equal(column[:], expected, equal_nan=True), name
        ids, step = cells["id"][:], int(one_cell_in)
        assert found.attrs["one_cell_in"] == step and np.all((ids - 1) % step == 0)
        # A sample can be read without the others.
        samples = found["samples"]
        for mcs, first, count in zip(samples["mcs"], samples["first_row"], samples["rows"]):
            assert list(ids[first : first + count]) == [int(row["id"]) for row in rows if int(row["mcs"]) == mcs]
        assert sum(samples["rows"]) == len(rows)


def snapshots(file, ids, times):
    """lattice.h5; `ids` holds those of all snapshots, one after the other."""
    with h5py.File(file) as found:
        assert [found[name].attrs["mcs"] for name in sorted(found)] == [int(t) for t in times.split(",")]
        values = np.concatenate([found[name]["ids"][:].ravel() for name in sorted(found)])
        assert np.array_equal(values, np.fromfile(ids, "<u4"))
        for name in found:
            group = found[name]
            assert group["ids"].chunks and group["ids"].compression == "gzip"
            assert np.array_equal(group["type"][:], group["cells/type"][:][group["ids"][:]])


def same(file, other):
    """Two files hold the same, whether their datasets lie in them or in the parts that they name."""

    def compare(one, another):
        assert set(one) == set(another), one.name
        for name in one:
            if isinstance(one[name], h5py.Group):
                compare(one[name], another[name])
                continue
            a, b = one[name], another[name]
            assert a.dtype == b.dtype and a.shape == b.shape, a.name
            assert np.array_equal(a[()], b[()], equal_nan=a.dtype.kind == "f"), a.name
            assert dict(a.attrs) == dict(b.attrs), a.name

    with h5py.File(file) as one, h5py.File(other) as another:
        compare(one, another)
        assert set(one.attrs) == set(another.attrs)


def members(file):
    """Prints the paths of all datasets, with their units, and attributes: GROUP/NAME|UNIT, GROUP@NAME."""

    def show(path, found):
        if isinstance(found, h5py.Dataset):
            print(f"{path}|{found.attrs.get('unit', '')}")
        for name in found.attrs:
            if name != "unit":
                print(f"{path}@{name}")

    with h5py.File(file) as found:
        for name in found.attrs:
            print(f"@{name}")
        found.visititems(show)


def xdmf(file, ids, times, shape, voxel_um):
    """lattice.xdmf with both readers that ParaView has; they come with ParaView, not with VTK."""
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as pipeline
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
        from vtkmodules.vtkIOXdmf3 import vtkXdmf3Reader
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(77)

    shape, edge = tuple(int(n) for n in shape.split(",")), float(voxel_um)
    minutes = [float(t) for t in times.split(",")]
    expected = np.fromfile(ids, "<u4").reshape(len(minutes), -1)
    for kind in vtkXdmfReader, vtkXdmf3Reader:
        reader = kind()
        reader.SetFileName(file)
        reader.UpdateInformation()
        info = reader.GetOutputInformation(0)
        found = [info.Get(pipeline.TIME_STEPS(), i) for i in range(info.Length(pipeline.TIME_STEPS()))]
        assert found == minutes, found
        for time, sites in zip(minutes, expected):
            reader.UpdateTimeStep(time)
            data = reader.GetOutputDataObject(0)
            if data.IsA("vtkMultiBlockDataSet"):
                data = data.GetBlock(0)
            # Sites are cells of VTK's, centred at (x, y, z) times the edge.
            bounds = [edge * (end * n - 0.5) for n in shape[::-1] for end in (0, 1)]
            assert np.allclose(data.GetBounds(), bounds), data.GetBounds()
            assert np.array_equal(vtk_to_numpy(data.GetCellData().GetArray("id")), sites)


globals()[sys.argv[1]](*sys.argv[2:])
