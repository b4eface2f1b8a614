// Sentences at the foot of the stage, each under the name of what it is about.

import { setText } from "./figures.js";

const said = new Map();

// No text: nothing is said of it any more.
export function note(about, text = "") {
  if (text) said.set(about, text);
  else said.delete(about);
  setText(document.getElementById("note-text"), [...said.values()].join(" · "));
}
