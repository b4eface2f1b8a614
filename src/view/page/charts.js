// Charts of measures.csv as it grows.

const svg = (name, attributes = {}) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

// What is worth seeing first, where a run has it.
const usual = ["speed_um_per_min", "cells", "heterotypic", "energy", "volume_mean"];
const mostPoints = 300;
const beginning = 0.04;

export const figure = value => {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e5 || (size < 1e-3 && size > 0)) return value.toExponential(2);
  return Number(value.toPrecision(4)).toLocaleString("en");
};

export class Charts {
  // `dull` names columns that are of no interest at first.
  constructor(box, menu, dull) {
    this.box = box;
    this.dull = dull;
    this.menu = menu;
    this.forget();
    menu.addEventListener("change", () => { if (menu.value) this.add(menu.value); menu.value = ""; });
  }

  forget() {
    this.columns = null;
    this.rows = [];
    this.bytes = 0;
    this.shown = new Map();
    this.box.replaceChildren();
    this.menu.replaceChildren();
  }

  take(text) {
    this.bytes += new TextEncoder().encode(text).length;
    const lines = text.split("\n").filter(line => line);
    if (!this.columns && lines.length > 0) this.begin(lines.shift().split(","));
    for (const line of lines) this.rows.push(line.split(",").map(field => (field === "" ? NaN : Number(field))));
    if (lines.length > 0) this.draw();
  }

  begin(columns) {
    this.columns = columns;
    const numbers = columns.filter(name => !["mcs", "t_min", "phase"].includes(name));
    this.menu.append(new Option("Add a chart …", ""), ...numbers.map(name => new Option(name, name)));
    for (const name of usual.filter(n => columns.includes(n) && !this.dull.includes(n)).slice(0, 4)) this.add(name);
  }

  add(name) {
    if (this.shown.has(name)) return;
    const element = document.createElement("figure"), caption = document.createElement("figcaption");
    element.className = "chart";
    element.dataset.column = name;
    const label = document.createElement("span"), now = document.createElement("b"), close = document.createElement("button");
    label.textContent = name.replaceAll("_", " ");
    close.textContent = "×";
    close.title = "Take it away";
    close.addEventListener("click", () => { element.remove(); this.shown.delete(name); });
    caption.append(label, now, close);
    const drawing = svg("svg", { role: "img" });
    element.append(caption, drawing);
    this.box.append(element);
    this.shown.set(name, { now, drawing });
    this.draw();
  }

  // `mcs`: of the state that is seen, where that is not the last.
  mark(mcs) { this.marked = mcs; this.draw(); }

  draw() {
    if (!this.columns || this.rows.length === 0) return;
    for (const [name, chart] of this.shown) this.drawOne(this.columns.indexOf(name), chart);
  }

  drawOne(column, { now, drawing }) {
    const stride = Math.ceil(this.rows.length / mostPoints);
    const points = this.rows.filter((_, i) => i % stride === 0 || i === this.rows.length - 1).map(row => [row[0], row[column]]).filter(p => Number.isFinite(p[1]));
    drawing.replaceChildren();
    drawing.dataset.points = points.length;
    if (points.length === 0) return;
    now.textContent = figure(points.at(-1)[1]);
    const xs = points.map(p => p[0]), ys = points.map(p => p[1]);
    const [left, right] = [xs[0], Math.max(xs.at(-1), xs[0] + 1)];
    // How a run begins must not flatten all that follows.
    const settled = ys.slice(Math.floor(ys.length * beginning));
    let [low, high] = [Math.min(...settled), Math.max(...settled)];
    if (high === low) [low, high] = [low - Math.abs(low || 1) * 0.1, high + Math.abs(high || 1) * 0.1];
    const width = this.box.clientWidth || 288;
    drawing.setAttribute("viewBox", `0 0 ${width} 78`);
    const x = value => 2 + ((value - left) / (right - left)) * (width - 4), y = value => 70 - ((value - low) / (high - low)) * 62;
    for (const at of [8, 39, 70]) drawing.append(svg("line", { x1: 0, x2: width, y1: at, y2: at, class: "grid" }));
    drawing.append(svg("polyline", { class: "line", "vector-effect": "non-scaling-stroke", points: points.map(p => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" ") }));
    if (this.marked !== undefined && this.marked >= left && this.marked <= right)
      drawing.append(svg("line", { class: "now", x1: x(this.marked), x2: x(this.marked), y1: 4, y2: 74 }));
    for (const [value, at] of [[high, 17], [low, 67]]) {
      const text = svg("text", { x: 3, y: at });
      text.textContent = figure(value);
      drawing.append(text);
    }
  }
}
