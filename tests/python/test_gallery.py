"""Every example of the gallery runs and ends in a picture, and the gallery's page shows it."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

SOURCE = Path(os.environ["KILN_SOURCE_DIR"])
EXAMPLES = sorted((SOURCE / "examples").glob("*.py"))


class Gallery(unittest.TestCase):
    def test_examples_end_in_a_picture(self):
        try:
            from matplotlib.image import imread
        except ImportError:
            self.skipTest("python3-matplotlib is not installed")
        for example in EXAMPLES:
            with self.subTest(example.name), tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "picture.png"
                done = subprocess.run([sys.executable, example, out], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                rgb = imread(out)[..., :3]
                self.assertGreaterEqual(rgb.shape[1], 600)
                # Of tissues and curves: axes and letters alone are grey, and have no colour at all.
                coloured = rgb[rgb.max(-1) - rgb.min(-1) > 0.1]
                self.assertGreater(len(np.unique(coloured, axis=0)), 200)

    def test_the_page_shows_them_all(self):
        page = (SOURCE / "docs" / "gallery.md").read_text()
        self.assertGreaterEqual(len(EXAMPLES), 8)
        for example in EXAMPLES:
            self.assertIn(f"../examples/{example.name}", page)
            self.assertIn(f"images/gallery/{example.stem}.png", page)
            self.assertTrue((SOURCE / "docs" / "images" / "gallery" / f"{example.stem}.png").exists())


if __name__ == "__main__":
    unittest.main()
