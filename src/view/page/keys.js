// The keyboard does all that the mouse does.

const views = { 1: "solid", 2: "x", 3: "y", 4: "z" };
const turn = 0.12, shift = 0.06;
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const pages = ["PageUp", "PageDown", "Home", "End"];

// What has the focus keeps the keys that it answers to itself: all of them where text is written.
function keeps(element, key) {
  const kind = element.tagName === "INPUT" ? element.type : element.tagName;
  if (key === "Escape") return false;
  if (kind === "BUTTON" || kind === "A" || kind === "checkbox") return [" ", "Enter"].includes(key);
  if (kind === "range") return key in arrows || pages.includes(key);
  if (kind === "SELECT") return key in arrows || [" ", "Enter", ...pages].includes(key);
  return ["INPUT", "TEXTAREA"].includes(element.tagName);
}

export function listenToKeys(app) {
  const { scene, panel, timeline, steering } = app;
  const actions = {
    "+": () => scene.zoomBy(1.15), "=": () => scene.zoomBy(1.15), "-": () => scene.zoomBy(1 / 1.15),
    "[": () => panel.moveBy(-1), "]": () => panel.moveBy(1),
    c: () => panel.nextColour(), r: () => scene.reset(), t: () => panel.setTheme(),
    p: () => panel.picture(), f: () => panel.flipCut(), h: () => panel.toggle(),
    s: () => steering.step(), " ": () => (app.status?.state === "folder" ? timeline.play() : steering.toggle()),
    ",": () => timeline.goBy(-1), ".": () => timeline.goBy(1),
    Escape: () => app.choose(0),
    "?": () => document.getElementById("help").showModal(),
  };
  document.addEventListener("keydown", event => {
    if (keeps(event.target, event.key) || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key in arrows) {
      const [dx, dy] = arrows[event.key];
      if (event.shiftKey) scene.shiftBy(dx * shift, dy * shift);
      else scene.turnBy(dx * turn, dy * turn);
    } else if (views[event.key]) panel.setView(views[event.key]);
    else if (actions[event.key]) actions[event.key]();
    else return;
    event.preventDefault();
  });
}
