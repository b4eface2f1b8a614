// The tissue on the stage: what is shown, in which colours, and how hands move it.

import { colouring, paint, rampColour } from "./colours.js";
import { figure } from "./figures.js";
import { note } from "./notes.js";
import { Slice } from "./slice.js";
import { Solid } from "./solid.js";

const slowMs = 40;  // a picture that takes longer does not move well
const speedOver = 10;  // MCS, at least, between the two places that a speed is made of

export class Scene {
  constructor(stage, about) {
    this.about = about;
    this.stage = stage;
    this.solidCanvas = stage.querySelector("#solid");
    this.sliceCanvas = stage.querySelector("#slice");
    this.isFlat = about.dimension === 2;
    this.look = { colour: "type", chosen: 0, speeds: null, hiddenCells: new Set(), alone: 0 };
    this.hideTypes();
    this.slice = new Slice(this.sliceCanvas);
    if (!this.isFlat) this.solid = this.makeSolid();
    this.view = this.solid ? "solid" : "z";
    this.places = [];
    this.moving = 0;
    this.coarse = 1;
    this.onPick = () => {};
    for (const canvas of [this.solidCanvas, this.sliceCanvas]) this.listen(canvas);
    new ResizeObserver(() => this.draw()).observe(stage);
    this.setView(this.view);
  }

  // What a model hides, it hides in space: a slice has it.
  hideTypes() {
    this.typeNames = this.about.types.map(type => type.name).join("\n");
    this.hidden = { solid: new Set(this.about.types.flatMap((type, i) => (type.hidden ? [i] : []))), slice: new Set() };
  }

  typesCame() {
    if (this.typeNames !== this.about.types.map(type => type.name).join("\n")) this.hideTypes();
    if (this.frame && !this.colourNames().includes(this.look.colour)) this.look.colour = "type";
    this.recolour();
  }

  // Nothing where this browser cannot draw it.
  makeSolid() {
    const { nx, ny, nz, step } = this.about;
    try {
      const solid = new Solid(this.solidCanvas, Math.ceil(Math.max(nx, ny, nz) / step));
      this.solidCanvas.addEventListener("webglcontextlost", event => {
        event.preventDefault();
        note("graphics", "The browser has lost its graphics and asks for them again; slices are drawn without.");
      });
      this.solidCanvas.addEventListener("webglcontextrestored", () => {
        solid.build();
        note("graphics");
        this.recolour();
      });
      return solid;
    } catch (error) {
      note("graphics", error.message);
      return null;
    }
  }

  showAllCells() {
    this.look.hiddenCells.clear();
    this.look.alone = 0;
  }

  get isSolid() { return this.view === "solid"; }
  get hiddenTypes() { return this.isSolid ? this.hidden.solid : this.hidden.slice; }

  setView(view) {
    if ((this.isFlat && view !== "z") || (view === "solid" && !this.solid)) return;
    this.view = view;
    this.solidCanvas.hidden = !this.isSolid;
    this.sliceCanvas.hidden = this.isSolid;
    if (!this.isSolid) this.slice.axis = "xyz".indexOf(view);
    this.recolour();
  }

  show(frame) {
    this.frame = frame;
    this.look.speeds = this.speeds(frame);
    // Saved states lack speeds and ages.
    if (!this.colourNames().includes(this.look.colour)) this.look.colour = "type";
    if (this.isSlow) this.moving = performance.now();
    this.recolour();
  }

  // From places some MCS apart; null where places are not known.
  speeds(frame) {
    const { x, y, z } = frame.columns;
    if (!x) return null;
    // Copies: columns are parts of a whole frame.
    const now = { mcs: frame.mcs, x: x.slice(), y: y.slice(), z: z?.slice() };
    this.places = this.places.filter(p => p.mcs < frame.mcs);
    const before = this.places.findLast(p => frame.mcs - p.mcs >= speedOver) ?? this.places[0];
    this.places.push(now);
    while (this.places.length > 2 && frame.mcs - this.places[1].mcs >= speedOver) this.places.shift();
    if (!before) return new Float32Array(x.length).fill(NaN);
    const perMinute = (this.about.voxel_um * 60) / (this.about.seconds_per_mcs * (frame.mcs - before.mcs));
    return x.map((_, cell) => cell < before.x.length
      ? Math.hypot(x[cell] - before.x[cell], y[cell] - before.y[cell], z ? z[cell] - before.z[cell] : 0) * perMinute : NaN);
  }

  colourNames() { return ["type", "cell", ...this.about.fields, ...(this.frame?.numbers ?? [])]; }
  // The field that frames have to bring along.
  get field() { return this.about.fields.includes(this.look.colour) ? this.look.colour : ""; }
  // Where cells are very many, most of their numbers come only when something shows them.
  get cellNumbers() { return this.frame && (this.showsNumber || this.look.chosen > 0) ? "all" : ""; }
  get showsNumber() { return this.look.colour !== "volume" && this.frame.numbers.includes(this.look.colour); }
  // Whether the frame at hand has what is to be seen.
  get hasColours() { return (!this.field || this.frame.field_name === this.field) && (!this.showsNumber || this.frame.all_numbers); }
  get hasRow() { return this.look.chosen === 0 || this.frame.all_numbers; }

  recolour() {
    const { frame } = this;
    if (!frame) return;
    if (!this.hasColours) return;  // the one that has them is on its way
    const look = { ...this.look, hiddenTypes: this.hiddenTypes, flat: !this.isSolid };
    this.colours = colouring(frame, this.about, look);
    if (this.numbers?.length !== frame.ids.length) this.numbers = new Uint8Array(frame.ids.length);
    paint(frame, this.colours, this.numbers);
    if (this.isSolid) this.solid.show(frame.size, this.numbers, this.colours.palette);
    else this.slice.show(frame.size, this.numbers, this.colours.palette, frame.ids);
    this.isFilled = false;
    this.showLegend();
    this.draw();
  }

  showLegend() {
    const legend = this.stage.querySelector("#legend"), range = this.colours.range;
    legend.hidden = !range;
    if (!range) return;
    const context = legend.querySelector("canvas").getContext("2d");
    for (let i = 0; i < 160; ++i) {
      context.fillStyle = `rgb(${rampColour(i / 159).join(" ")})`;
      context.fillRect(i, 0, 1, 10);
    }
    legend.querySelector("#legend-low").textContent = figure(range[0]);
    legend.querySelector("#legend-high").textContent = figure(range[1]);
  }

  draw() {
    if (!this.frame || !this.colours || this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      const isDark = document.documentElement.dataset.theme === "dark";
      if (this.isSolid) this.drawSolid(isDark ? [0.043, 0.051, 0.071] : [0.925, 0.937, 0.953]);
      else {
        if (!this.isFilled || this.filledDark !== isDark) this.slice.fill(isDark);
        this.isFilled = true;
        this.filledDark = isDark;
        this.slice.draw(isDark ? "#0b0d12" : "#eceff3");
      }
      this.stage.dataset.drawn = String(Number(this.stage.dataset.drawn ?? 0) + 1);
    });
  }

  // Where drawing takes long, as without a GPU, there are fewer pixels while anything moves, and all of them once
  // it stands still.
  drawSolid(background) {
    const isMoving = performance.now() - this.moving < 250;
    this.solid.coarse = isMoving ? this.coarse : 1;
    const start = performance.now();
    this.solid.draw(background);
    this.solid.finish();
    const took = performance.now() - start;
    if (!isMoving) {
      this.isSlow = took > slowMs;
      return;
    }
    if (took > slowMs) this.coarse = Math.min(4, this.coarse * 1.4);
    else if (took < slowMs / 3) this.coarse = Math.max(1, this.coarse / 1.2);
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.draw(), 300);
  }

  moved() {
    this.moving = performance.now();
    this.draw();
  }

  turnBy(dx, dy) {
    if (this.isSolid) {
      this.solid.turn -= dx;
      this.solid.tilt = Math.min(Math.max(this.solid.tilt + dy, -1.55), 1.55);
    } else {
      this.slice.shift[0] += dx * 0.3;
      this.slice.shift[1] += dy * 0.3;
    }
    this.moved();
  }

  shiftBy(dx, dy) {
    const of = this.isSolid ? this.solid : this.slice;
    of.shift[0] += this.isSolid ? -dx * 2 : dx;
    of.shift[1] += this.isSolid ? dy * 2 : dy;
    this.moved();
  }

  zoomBy(factor) {
    const of = this.isSolid ? this.solid : this.slice;
    of.zoom = Math.min(Math.max(of.zoom * factor, 0.3), 40);
    this.moved();
  }

  reset() {
    this.solid?.reset();
    this.slice.reset();
    this.draw();
  }

  moveSlice(position) {
    this.slice.position = position;
    this.isFilled = false;
    this.draw();
  }

  // The cell at a place of the stage, 0 to 1; 0: none.
  cellAt(x, y) {
    const site = (this.isSolid ? this.solid : this.slice).pick(x, y);
    return site < 0 ? 0 : this.frame.ids[site];
  }

  listen(canvas) {
    const held = new Map();
    let way = 0;
    canvas.addEventListener("pointerdown", e => { held.set(e.pointerId, [e.clientX, e.clientY]); way = 0; canvas.setPointerCapture(e.pointerId); });
    canvas.addEventListener("pointermove", e => {
      const before = held.get(e.pointerId);
      if (!before) return;
      const dx = e.clientX - before[0], dy = e.clientY - before[1];
      if (held.size === 2) {
        const [other] = [...held].filter(([id]) => id !== e.pointerId).map(([, at]) => at);
        const was = Math.hypot(before[0] - other[0], before[1] - other[1]), is = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
        if (was > 0) this.zoomBy(is / was);
      } else if (e.shiftKey || e.buttons === 2 || !this.isSolid) this.shiftBy(dx / canvas.clientWidth, dy / canvas.clientHeight);
      else this.turnBy(dx * 0.008, dy * 0.008);
      way += Math.abs(dx) + Math.abs(dy);
      held.set(e.pointerId, [e.clientX, e.clientY]);
    });
    const release = e => {
      if (!held.delete(e.pointerId) || e.button !== 0 || way > 4 || e.type === "pointercancel" || !this.frame) return;
      const box = canvas.getBoundingClientRect();
      this.onPick(this.cellAt((e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height));
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("contextmenu", e => e.preventDefault());
    canvas.addEventListener("wheel", e => { e.preventDefault(); this.zoomBy(Math.exp(-e.deltaY * 0.0012)); }, { passive: false });
  }
}
