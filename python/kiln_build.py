"""Builds the wheel that `pip install .` asks for (PEP 517): CMake makes the package, this packs it."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.search(r"project\(kiln VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
PROGRAM = "kiln/bin/kiln"  # in the wheel
METADATA = f"""Metadata-Version: 2.1
Name: kiln
Version: {VERSION}
Summary: Simulates living tissue with the Cellular Potts Model
License: BSD-3-Clause
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: pandas
Description-Content-Type: text/markdown

{(ROOT / "README.md").read_text()}
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """`--config-settings build=FOLDER` takes another build folder than build-wheel."""
    build = Path((config_settings or {}).get("build", ROOT / "build-wheel"))
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DKILN_TESTS=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
    subprocess.run(["cmake", "-S", ROOT, "-B", build, *options], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "python", "-j", str(len(os.sched_getaffinity(0)))], check=True)
    return _pack(build / "python" / "kiln", Path(wheel_directory))


def build_sdist(sdist_directory, config_settings=None):
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    name = f"kiln-{VERSION}"
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as archive:
        for file in listed.splitlines():
            archive.add(ROOT / file, f"{name}/{file}")
    return f"{name}.tar.gz"


def _pack(package, folder):
    if not any(package.glob("_kiln.*.so")):
        sys.exit("The Python module was not built: it needs python3-dev and pybind11-dev.")
    interpreter = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{interpreter}-{interpreter}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    info = f"kiln-{VERSION}.dist-info"
    files = {f"kiln/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    files[PROGRAM] = (package / "bin" / "kiln").read_bytes()
    files[f"{info}/METADATA"] = METADATA.encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: kiln\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nkiln = kiln.__main__:main\n"
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"kiln-{VERSION}-{tag}.whl"
    part = folder / f".{wheel}.part"
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name == PROGRAM else 0o100644) << 16
            archive.writestr(entry, data)
    part.rename(folder / wheel)
    return wheel


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
