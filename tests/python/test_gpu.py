"""What only a GPU can show: the same bits from Python, and a lattice that other programs find in its memory."""

import ctypes
import os
import time
import unittest

import numpy as np

import kiln

MODEL = {
    "lattice": {"size": [70, 50, 40]},
    "types": {
        "cell": {"volume": {"target": 120, "lambda": 5}, "act": {"lambda": 60, "max": 12}},
        "wall": {"frozen": True},
    },
    "initial": [{"kind": "boxes", "type": "cell", "box": [5, 5, 5]}],
    "measure": {"every": 10, "cells_every": 0},
}


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_uint64),
        ("device", ctypes.c_int32 * 2),
        ("axes", ctypes.c_int32),
        ("type", ctypes.c_uint8 * 4),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
    ]


def tensor_of(capsule):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return DLTensor.from_address(get(capsule, b"dltensor"))


def brought_down(address, shape):
    result = np.empty(shape, np.uint32)
    copy = ctypes.CDLL("libcuda.so.1").cuMemcpyDtoH_v2
    copy.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t]
    assert copy(result.ctypes.data, address, result.nbytes) == 0
    return result


class Gpu(unittest.TestCase):
    def setUp(self):
        try:
            self.sim = kiln.Simulation(MODEL, engine="cuda")
        except kiln.Failure as no_gpu:
            self.none(no_gpu)
        except kiln.UserError as no_gpu:
            self.none(no_gpu)

    def none(self, why):
        if os.environ.get("KILN_REQUIRE_GPU"):
            raise why
        self.skipTest(str(why))

    def test_gives_the_same_bits(self):
        host = kiln.Simulation(MODEL, engine="threads")
        for _ in range(2):
            self.sim.run(15)
            host.run(15)
            self.assertEqual(self.sim.hash, host.hash)
            np.testing.assert_array_equal(self.sim.lattice, host.lattice)
            for sim in (self.sim, host):
                sim.set({"types.cell.act.lambda": 20, "types.cell.act.max": 8})
                with sim.edit() as edit:
                    edit.lattice[:5, :5, :5] = edit.add_cell("wall")

    def test_hands_its_lattice_over(self):
        self.sim.run(10)
        array = self.sim.device_lattice
        tensor = tensor_of(capsule := array.__dlpack__())
        self.assertEqual(array.__dlpack_device__(), tuple(tensor.device))
        self.assertEqual([tensor.shape[i] for i in range(tensor.axes)], list(self.sim.lattice.shape))
        self.assertEqual(list(tensor.type), [1, 32, 1, 0])  # unsigned, 32 bits, one lane
        seen = brought_down(tensor.data, self.sim.lattice.shape)
        np.testing.assert_array_equal(seen, self.sim.lattice)
        before = self.sim.lattice.copy()
        self.sim.run(10)
        self.assertFalse((self.sim.lattice == before).all())
        self.sim.device_lattice  # of now, elsewhere: the former is still held
        np.testing.assert_array_equal(brought_down(tensor.data, before.shape), before)
        self.assertEqual(array.__cuda_array_interface__["data"][0], tensor.data)
        del capsule


def how_long_a_handover_takes(size=512):
    """Not a test: python3 -c 'import test_gpu; test_gpu.how_long_a_handover_takes()'"""
    model = {**MODEL, "lattice": {"size": [size] * 3}, "measure": {"every": 0, "cells_every": 0}}
    sim = kiln.Simulation(model, engine="cuda", record=False)
    sim.run(5)
    times = []
    for _ in range(6):
        start = time.perf_counter()
        sim.device_lattice
        times.append(1e3 * (time.perf_counter() - start))
    print(f"{size}^3 ids handed over on the GPU: {min(times):.2f} ms (the first time {times[0]:.2f})")


if __name__ == "__main__":
    unittest.main()
