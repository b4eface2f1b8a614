"""`pip install .`, without a network, into an environment of its own."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["KILN_SOURCE_DIR"])


class Wheel(unittest.TestCase):
    def test_installs_and_runs(self):
        try:
            import ensurepip  # noqa: F401  (python3-venv)
        except ImportError:
            self.skipTest("python3-venv is not installed")
        with tempfile.TemporaryDirectory() as folder:
            self.run_checked(sys.executable, "-m", "venv", "--system-site-packages", folder)
            python = Path(folder) / "bin" / "python3"
            wheels = Path(folder) / "wheels"
            wheels.mkdir()
            # The build folder of these tests has all that the wheel packs, so nothing is compiled again.
            code = (
                f"import sys; sys.path.insert(0, {str(SOURCE / 'python')!r}); import kiln_build, pathlib;"
                f"print(kiln_build._pack(pathlib.Path({os.environ['KILN_BUILD_DIR']!r}) / 'python' / 'kiln',"
                f" pathlib.Path({str(wheels)!r})))"
            )
            name = self.run_checked(python, "-c", code).strip()
            self.run_checked(python, "-m", "pip", "install", "--no-index", "--no-deps", wheels / name)
            out = self.run_checked(python, "-c", "import kiln; print(kiln.__file__)")
            self.assertIn(folder, out)
            version = self.run_checked(python, "-c", "import kiln; print(kiln.__version__)")
            self.assertIn(f"project(kiln VERSION {version.strip()} ", (SOURCE / "CMakeLists.txt").read_text())
            # The program comes along, as a command and as a module, and the module needs nothing of it.
            for program in ([Path(folder) / "bin" / "kiln"], [python, "-m", "kiln"]):
                self.assertEqual(self.run_checked(*program, "--version"), version)
                shown = self.run_checked(*program, "validate", SOURCE / "models" / "sorting.toml")
                self.assertIn("lattice", shown)

    def run_checked(self, *command):
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
