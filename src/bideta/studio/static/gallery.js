// Which answers the gallery shows: all, or those that somebody pointed at on the map or in the confusion.

import { find, make, fill } from "./dom.js";

let only = null; // {ids, text}
let redraw = () => {};

export const start = (draw) => { redraw = draw; };
export const wanted = (row) => !only || only.ids.has(row.id);

// Show only these contacts, until somebody wants all again.
export function look(ids, text) {
  only = { ids, text };
  find("#filter").value = "";
  note();
  redraw();
  const title = find("#gallery-title");
  title.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  find("#only button").focus({ preventScroll: true });
}

export function forget() { only = null; note(); }

function note() {
  const place = find("#only");
  place.hidden = !only;
  fill(place, ...(only ? [make("span", {}, `Only ${only.text}`), make("button", { type: "button", class: "quiet", onclick: () => { forget(); redraw(); } }, "Show all")] : []));
}
