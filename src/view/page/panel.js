// The choices beside the tissue: colours, types, views, cuts, light and dark.

import { placeOf } from "./frame.js";
import * as net from "./net.js";
import { note } from "./notes.js";

const $ = id => document.getElementById(id);
const words = { type: "Type", cell: "Cell", act: "Act", volume: "Volume", perimeter: "Perimeter", age: "Age", speed: "Speed" };

export class Panel {
  // `savedMcs` tells which saved state is seen; undefined where the run is on its way.
  constructor(scene, about, colourChanged, savedMcs) {
    this.scene = scene;
    this.savedMcs = savedMcs;
    this.about = about;
    this.colourChanged = colourChanged;
    this.buildTypes();
    $("colour").addEventListener("change", () => this.setColour($("colour").value));
    for (const button of $("views").children) button.addEventListener("click", () => this.setView(button.dataset.view));
    $("position").addEventListener("input", () => { scene.moveSlice(Number($("position").value)); this.showPosition(); });
    for (const button of $("cut-axis").children) button.addEventListener("click", () => this.setCut({ axis: Number(button.dataset.axis) }));
    $("cut").addEventListener("input", () => this.setCut({ at: Number($("cut").value) / 1000 }));
    $("cut-flip").addEventListener("click", () => this.flipCut());
    $("picture").addEventListener("click", () => this.picture());
    $("help-button").addEventListener("click", () => $("help").showModal());
    $("theme").addEventListener("click", () => this.setTheme());
    this.followSystem();
    $("views").hidden = scene.isFlat;
    $("cut-box").hidden = !scene.solid;
    $("views").querySelector("[data-view=solid]").disabled = !scene.solid;
    if (scene.solid) this.setCut({});
    this.showView();
  }

  // Of what is seen, as the run draws it; it may take a while.
  async picture() {
    const { scene } = this, { colour } = scene.look, button = $("picture");
    if (button.disabled) return;
    button.disabled = true;
    button.textContent = "Drawing …";
    const degrees = angle => (angle * 180) / Math.PI;
    const known = ["type", "cell", ...this.about.fields].includes(colour) ? colour : "type";
    const wish = scene.isSolid
      ? { view: "solid", turn: degrees(scene.solid.turn), tilt: degrees(scene.solid.tilt), cut: scene.solid.cut.axis === 3 ? 1 : 0 }
      : { view: "slice", axis: scene.view, position: this.slicePlace() };
    try {
      const picture = await net.picture({ ...wish, colour: known, mcs: this.savedMcs() });
      URL.revokeObjectURL($("picture-image").src);
      $("picture-image").src = $("picture-save").href = URL.createObjectURL(picture);
      if (!$("picture-box").open) $("picture-box").showModal();
      note("picture");
    } catch (error) {
      note("picture", error.message);
    }
    button.disabled = false;
    button.textContent = "Picture";
  }

  // Until one is chosen.
  followSystem() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)"), show = () => this.showTheme(dark.matches ? "dark" : "light");
    this.isThemeChosen = false;
    dark.addEventListener("change", () => { if (!this.isThemeChosen) show(); });
    show();
  }

  setTheme() {
    this.isThemeChosen = true;
    this.showTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  }

  showTheme(theme) {
    document.documentElement.dataset.theme = theme;
    $("theme").textContent = theme === "dark" ? "☀" : "☾";
    this.scene.draw();
  }

  typesCame() {
    this.buildTypes();
    this.showView();
    if (this.scene.frame) this.frameCame(this.scene.frame);
  }

  buildTypes() {
    $("types").replaceChildren();
    this.counts = this.about.types.map((type, i) => {
      if (i === 0) return null;
      const label = document.createElement("label"), box = document.createElement("input");
      const dot = document.createElement("span"), name = document.createElement("span"), count = document.createElement("span");
      box.type = "checkbox";
      box.value = i;
      box.dataset.type = type.name;
      box.addEventListener("change", () => {
        this.scene.hiddenTypes[box.checked ? "delete" : "add"](i);
        this.scene.recolour();
      });
      dot.className = "dot";
      dot.style.background = type.colour;
      name.textContent = type.name;
      count.className = "count";
      label.append(box, dot, name, count);
      $("types").append(label);
      return count;
    });
  }

  frameCame(frame) {
    const { type, volume } = frame.columns, counts = new Array(this.about.types.length).fill(0);
    for (let cell = 1; cell < type.length; ++cell) if (volume[cell] > 0 || this.about.types[type[cell]].frozen) ++counts[type[cell]];
    this.counts.forEach((element, i) => { if (element) element.textContent = counts[i].toLocaleString("en"); });
    const names = this.scene.colourNames();
    if ([...$("colour").options].map(option => option.value).join("\n") !== names.join("\n"))
      $("colour").replaceChildren(...names.map(name => new Option(words[name] ?? name, name)));
    $("colour").value = this.scene.look.colour;
    this.showPosition();
  }

  setColour(name) {
    this.scene.look.colour = name;
    $("colour").value = name;
    this.scene.recolour();
    this.colourChanged();
  }

  nextColour() {
    const names = this.scene.colourNames();
    this.setColour(names[(names.indexOf(this.scene.look.colour) + 1) % names.length]);
  }

  setView(view) {
    this.scene.setView(view);
    this.showView();
  }

  showView() {
    for (const button of $("views").children) button.setAttribute("aria-pressed", String(button.dataset.view === this.scene.view));
    $("cut-box").hidden = !this.scene.isSolid;
    for (const box of $("types").querySelectorAll("input")) box.checked = !this.scene.hiddenTypes.has(Number(box.value));
    this.showPosition();
  }

  // In the whole lattice.
  slicePlace() {
    const { axis, position } = this.scene.slice, { nx, ny, nz } = this.about;
    return placeOf(position, this.scene.frame.step, [nx, ny, nz][axis]);
  }

  showPosition() {
    $("position-box").hidden = this.scene.isSolid || this.scene.isFlat;
    if ($("position-box").hidden || !this.scene.frame) return;
    const { axis, position } = this.scene.slice;
    $("position").max = this.scene.frame.size[axis] - 1;
    $("position").value = position;
    $("position-label").textContent = `${"xyz"[axis]} = ${this.slicePlace()}`;
    $("position").setAttribute("aria-valuetext", $("position-label").textContent);
  }

  setCut(change) {
    Object.assign(this.scene.solid.cut, change);
    const { axis, at, flip } = this.scene.solid.cut;
    for (const button of $("cut-axis").children) button.setAttribute("aria-pressed", String(Number(button.dataset.axis) === axis));
    $("cut").value = at * 1000;
    $("cut").disabled = $("cut-flip").disabled = axis < 0;
    $("cut-flip").setAttribute("aria-pressed", String(flip));
    this.scene.moved();
  }

  // Room for the tissue, as for a projector.
  toggle() {
    const aside = document.querySelector("aside");
    aside.hidden = !aside.hidden;
  }

  flipCut() { if (this.scene.isSolid) this.setCut({ flip: !this.scene.solid.cut.flip }); }

  // By so many sites: the slice, or the cut.
  moveBy(sites) {
    if (!this.scene.isSolid) {
      this.scene.moveSlice(this.scene.slice.position + sites);
      this.showPosition();
    } else if (this.scene.solid.cut.axis >= 0) {
      const { axis, at } = this.scene.solid.cut;
      this.setCut({ at: Math.min(Math.max(at + sites / this.scene.frame.size[axis % 3], 0), 1) });
    }
  }
}
