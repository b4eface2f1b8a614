#!/usr/bin/python3
"""Draws the pictures of docs/parallel.md: python3 docs/images/draw_schedules.py writes them beside itself.

Every picture brings its own pale background, so that it reads alike on light and dark pages.
"""

from pathlib import Path

SITE = 18  # pixels per site
FONT = "font-family='Helvetica, Arial, sans-serif'"
INK, PAPER, GRID = "#2b2b2b", "#fbfaf7", "#ddd8cf"
CELLS = ["#cfe3d4", "#f6dcc8", "#cddcee", "#f3e7b8", "#e3d3ea", "#d9e2b6"]
STRONG = "#c8452d"  # targets, and whatever wins
LATER = "#3a6ea5"  # what has to wait


class Picture:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = []
        self.box(0, 0, width, height, fill=PAPER, radius=10)

    def box(self, x, y, width, height, fill="none", stroke="none", line=1.0, radius=0, opacity=1.0):
        self.parts.append(
            f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='{radius:g}' fill='{fill}' "
            f"fill-opacity='{opacity:g}' stroke='{stroke}' stroke-width='{line:g}'/>")

    def dot(self, x, y, radius, fill, stroke="none"):
        self.parts.append(f"<circle cx='{x:g}' cy='{y:g}' r='{radius:g}' fill='{fill}' stroke='{stroke}'/>")

    def path(self, d, stroke, line):
        self.parts.append(f"<path d='{d}' fill='none' stroke='{stroke}' stroke-width='{line:g}'/>")

    def arrow(self, x0, y0, x1, y1):
        self.parts.append(
            f"<line x1='{x0:g}' y1='{y0:g}' x2='{x1:g}' y2='{y1:g}' stroke='{INK}' stroke-width='2' "
            f"marker-end='url(#tip)'/>")

    def text(self, x, y, words, size=13, colour=INK, anchor="start", weight="normal"):
        self.parts.append(f"<text x='{x:g}' y='{y:g}' {FONT} font-size='{size}' fill='{colour}' "
                          f"text-anchor='{anchor}' font-weight='{weight}'>{words}</text>")

    def save(self, name):
        tip = ("<marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='5' markerHeight='5' "
               f"orient='auto'><path d='M0 0L8 4L0 8z' fill='{INK}'/></marker>")
        head = (f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {self.width} {self.height}' "
                f"width='{self.width}' height='{self.height}'>")
        text = "\n".join([head, f"<defs>{tip}</defs>", *self.parts, "</svg>", ""])
        (Path(__file__).parent / name).write_text(text, encoding="utf-8")


def cell_at(x, y):
    """A tissue of uneven cells: the nearest of some jittered seeds."""
    seeds = [(5 * i + (7 * i + 3 * j) % 4 - 1, 5 * j + (5 * i + 11 * j) % 4 - 1, i + 2 * j)
             for i in range(-1, 7) for j in range(-1, 7)]
    return min(seeds, key=lambda s: (s[0] - x) ** 2 + (s[1] - y) ** 2)


def grid(picture, left, top, columns, rows, site):
    lines = "".join(f"M{left + x * site:g} {top:g}v{rows * site:g}" for x in range(columns + 1))
    lines += "".join(f"M{left:g} {top + y * site:g}h{columns * site:g}" for y in range(rows + 1))
    picture.path(lines, GRID, 0.6)


def lattice(picture, left, top, columns, rows):
    ids = [[cell_at(x, y) for x in range(columns)] for y in range(rows)]
    borders = ""
    for y in range(rows):
        start = 0
        for x in range(columns):
            right, below = left + (x + 1) * SITE, top + (y + 1) * SITE
            if y + 1 < rows and ids[y][x] != ids[y + 1][x]:
                borders += f"M{right} {below}h{-SITE}"
            if x + 1 < columns and ids[y][x] == ids[y][x + 1]:
                continue
            picture.box(left + start * SITE, top + y * SITE, (x + 1 - start) * SITE, SITE,
                        fill=CELLS[ids[y][x][2] % len(CELLS)])
            start = x + 1
            if start < columns:
                borders += f"M{right} {below}v{-SITE}"
    grid(picture, left, top, columns, rows, SITE)
    picture.path(borders, "#8a857c", 1.4)


def target(picture, left, top, x, y, source):
    cx, cy = left + (x + 0.5) * SITE, top + (y + 0.5) * SITE
    picture.box(left + x * SITE + 1, top + y * SITE + 1, SITE - 2, SITE - 2, fill=STRONG, opacity=0.9)
    picture.arrow(cx + source[0] * SITE, cy + source[1] * SITE, cx + source[0] * 3, cy + source[1] * 3)


SOURCES = [(1, 0), (0, 1), (-1, 1), (1, 1), (0, -1), (-1, 0), (1, -1), (-1, -1)]


# By row of tiles: how far its targets are displaced along x and y, in two rounds.
DISPLACED = [[(0, 1), (2, 0), (1, 1), (0, 0), (2, 1)], [(1, 0), (0, 1), (2, 1), (1, 0), (0, 0)]]


def draw_tiles():
    columns, rows, tile, gap = 20, 14, 3, 44
    picture = Picture(2 * columns * SITE + gap + 40, rows * SITE + 92)
    for n, shift in enumerate([1, 0]):
        left, top = 20 + n * (columns * SITE + gap), 44
        picture.text(left, 28, f"round {n + 1}", weight="bold")
        lattice(picture, left, top, columns, rows)
        for row, (dx, dy) in enumerate(DISPLACED[n]):
            first = shift + row * tile
            if first >= rows:
                continue
            picture.box(left, top + first * SITE, columns * SITE, min(tile, rows - first) * SITE, stroke=INK, line=1.6)
            y = first + dy
            for x in range(dx, columns if y < rows else 0, tile):
                inside = [s for s in SOURCES if 0 <= x + s[0] < columns and 0 <= y + s[1] < rows]
                target(picture, left, top, x, y, inside[(3 * x + 5 * y + x * y // 3 + n) % len(inside)])
        if n == 0:
            x, y = DISPLACED[0][2][0] + 3 * tile, shift + 2 * tile + DISPLACED[0][2][1]
            picture.box(left + (x - 1) * SITE, top + (y - 1) * SITE, 3 * SITE, 3 * SITE, fill=LATER, opacity=0.18,
                        stroke=LATER, line=2.2)
    picture.text(20, rows * SITE + 66, "Red: the targets of a round, all tried at once. Each row of them is displaced at "
                 "random. Arrows: where they copy from.", size=12.5)
    picture.text(20, rows * SITE + 82, "Blue: all that one attempt can look at (without Act). It holds no other "
                 "target.", size=12.5)
    picture.save("tiles.svg")


def draw_checkerboard():
    blocks, side, region, gap = 3, 8, 4, 44
    scale = 13  # pixels per site
    edge = blocks * side * scale
    picture = Picture(2 * edge + gap + 40, edge + 92)
    for n, corner in enumerate([(0, 0), (4, 0)]):
        left, top = 20 + n * (edge + gap), 44
        picture.text(left, 28, "the first region is active" if n == 0 else "a step later: the next one", weight="bold")
        grid(picture, left, top, blocks * side, blocks * side, scale)
        for j in range(blocks):
            for i in range(blocks):
                x, y = left + i * side * scale, top + j * side * scale
                picture.box(x + corner[0] * scale, y + corner[1] * scale, region * scale, region * scale,
                            fill=CELLS[3])
                for a in range(0, side, region):
                    for b in range(0, side, region):
                        picture.box(x + a * scale, y + b * scale, region * scale, region * scale, stroke=INK, line=0.6)
                picture.box(x, y, side * scale, side * scale, stroke=INK, line=2)
                site = ((5 * i + 3 * j + 2 * n) % region, (3 * i + 7 * j + n) % region)
                picture.box(x + (corner[0] + site[0]) * scale, y + (corner[1] + site[1]) * scale, scale, scale,
                            fill=STRONG)
    picture.text(20, edge + 68, "Heavy lines: blocks of 8 sites, one per thread. Yellow: the active region, 4 sites "
                 "wide.", size=12.5)
    picture.text(20, edge + 84, "Red: the attempts between two barriers, each at a random site of its region.",
                 size=12.5)
    picture.save("checkerboard.svg")


def draw_passes():
    """Four attempts of a round at three cells, as a table of passes."""
    picture = Picture(910, 250)
    x_of = {"A": 120, "B": 210, "C": 300}
    # winner, loser, priority, and what each pass says of it
    attempts = [("A", "B", 7, "accepted, holds A and B"),
                ("B", "C", 12, "accepted, but 7 claims B", "rejected: settled"),
                ("C", "B", 31, "rejected, but 7 claims B", "accepted, holds B and C"),
                ("C", "A", 40, "accepted, but 7 claims A", "accepted, but 31 claims C", "accepted, holds A and C")]
    columns = (360, 540, 722)
    picture.text(48, 40, "priority", anchor="middle", weight="bold")
    for k, (name, x) in enumerate(x_of.items()):
        picture.box(x - 30, 52, 60, 184, fill=CELLS[k], radius=8)
        picture.text(x, 40, f"cell {name}", anchor="middle", weight="bold")
    for k, x in enumerate(columns):
        picture.text(x, 40, f"pass {k + 1}", weight="bold")
    for row, (winner, loser, priority, *passes) in enumerate(attempts):
        y = 80 + 44 * row
        picture.text(48, y + 5, str(priority), anchor="middle", weight="bold")
        picture.dot(x_of[winner], y, 5, INK)
        picture.arrow(x_of[winner], y, x_of[loser], y)
        for x, words in zip(columns, passes):
            colour = LATER if "but" in words else STRONG if "holds" in words else INK
            picture.text(x, y + 5, words, size=12.5, colour=colour)
    picture.save("passes.svg")


if __name__ == "__main__":
    draw_tiles()
    draw_checkerboard()
    draw_passes()
