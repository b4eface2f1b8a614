// The chosen cell: its row, and where it has been.

import { figure, setText } from "./figures.js";

const words = { volume: "volume (sites)", perimeter: "perimeter", age: "age (MCS)", speed: "speed (µm/min)" };
const mostPlaces = 400;

export class ChosenCell {
  constructor(box) {
    this.box = box;
    this.let_go();
  }

  let_go() {
    this.id = 0;
    this.track = [];
    const hint = document.createElement("p");
    hint.className = "quiet";
    hint.textContent = "Click on a cell to follow it, or type its number.";
    this.box.replaceChildren(hint);
  }

  choose(id) {
    this.id = id;
    this.track = [];
  }

  // Notes where it is, and shows its row.
  follow(frame, about, speeds) {
    if (this.id === 0) return;
    const { columns } = frame, id = this.id;
    const there = id < columns.type.length && columns.volume[id] > 0;
    const type = about.types[columns.type[id]];
    const rows = [["id", String(id)], ["type", type?.name ?? "–"]];
    if (type?.frozen) rows.push(["", "frozen: not tracked"]);
    for (const [name, values] of Object.entries(columns)) {
      if (["type", "by_type", "by_cell"].includes(name) || type?.frozen) continue;
      const unit = "xyz".includes(name) ? about.voxel_um : 1;
      rows.push([words[name] ?? ("xyz".includes(name) ? `${name} (µm)` : name), figure(values[id] * unit)]);
    }
    if (speeds && !type?.frozen) rows.push([words.speed, figure(speeds[id])]);
    this.showRows(rows);
    if (!there && !type?.frozen) {
      const gone = document.createElement("p");
      gone.className = "gone";
      gone.textContent = "It has no sites any more.";
      this.box.append(gone);
    } else if (columns.x && Number.isFinite(columns.x[id])) {
      this.note(["x", "y", "z"].filter(name => columns[name]).map(name => columns[name][id]));
      this.box.append(this.drawing());
    }
  }

  showRows(rows) {
    let list = this.box.querySelector("dl");
    const names = rows.map(([name]) => name).join();
    if (list?.dataset.cell !== String(this.id) || list.dataset.names !== names) {
      list = document.createElement("dl");
      Object.assign(list.dataset, { cell: this.id, names });
      for (const [name] of rows) {
        const dt = document.createElement("dt");
        dt.textContent = name;
        list.append(dt, document.createElement("dd"));
      }
      this.box.replaceChildren(list);
    }
    while (list.nextSibling) list.nextSibling.remove();
    rows.forEach(([, value], i) => setText(list.children[2 * i + 1], value));
  }

  note(place) {
    this.track.push(place);
    if (this.track.length > mostPlaces) this.track.splice(0, this.track.length - mostPlaces);
  }

  // Its way as seen along z.
  drawing() {
    const figureElement = document.createElement("figure"), caption = document.createElement("figcaption");
    figureElement.className = "track";
    caption.textContent = "Way since it was clicked, along z";
    const xs = this.track.map(p => p[0]), ys = this.track.map(p => p[1]);
    const low = [Math.min(...xs), Math.min(...ys)];
    const span = Math.max(Math.max(...xs) - low[0], Math.max(...ys) - low[1], 1);
    const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    drawing.setAttribute("viewBox", "0 0 100 78");
    const at = p => [12 + ((p[0] - low[0]) / span) * 62, 8 + ((p[1] - low[1]) / span) * 62].map(v => v.toFixed(1));
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    line.setAttribute("class", "line");
    line.setAttribute("vector-effect", "non-scaling-stroke");
    line.setAttribute("points", this.track.map(p => at(p).join(",")).join(" "));
    const end = document.createElementNS("http://www.w3.org/2000/svg", "circle");
    const [cx, cy] = at(this.track.at(-1));
    for (const [key, value] of Object.entries({ cx, cy, r: 2, fill: "var(--accent)" })) end.setAttribute(key, value);
    drawing.append(line, end);
    figureElement.append(caption, drawing);
    return figureElement;
  }
}
