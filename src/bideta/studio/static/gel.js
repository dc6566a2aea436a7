// The gel's health, press by press: a small chart and what to do.

import { get } from "./api.js";
import { count, draw, fill, find, make } from "./dom.js";

const WIDTH = 480, HEIGHT = 90, LEFT = 44, RIGHT = 8, TOP = 8, BOTTOM = 20;
let points = [];

export async function open(session) {
  points = (await get(`/v1/sessions/${session}/health`)).points;
  show();
}

export function add(point) {
  if (point.press === 1) points = []; // another sensor, another gel
  points.push(point);
  show();
}

function show() {
  const last = points.at(-1);
  if (!last) { fill(find("#gel-health"), make("p", { class: "note" }, "After every press the gel is compared with how it was at first; no labels are needed.")); return; }
  const worn = last.state === "worn";
  fill(find("#gel-health"), make("p", { class: worn ? "wrong" : "", role: "status" }, last.message), chart(),
    make("p", { class: "note" }, worn ? "Press and label the contacts that are named, or change the gel and adapt again." : `${count(points.length, "press", "presses")} watched. At 0 the gel is called worn; a healthy one is in about one of a hundred streams.`));
}

function chart() {
  const first = points[0].press, last = points.at(-1);
  const x = (press) => LEFT + ((press - first) / Math.max(1, last.press - first)) * (WIDTH - LEFT - RIGHT);
  const y = (score) => TOP + (1 - score) * (HEIGHT - TOP - BOTTOM);
  const text = (place, value, anchor) => { const element = draw("text", { ...place, "text-anchor": anchor }); element.textContent = value; return element; };
  return draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img", "aria-label": `Health of the gel: ${last.score.toFixed(2)} after ${count(last.press, "press", "presses")}` },
    draw("path", { class: "axis", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }),
    text({ x: LEFT - 5, y: TOP + 8 }, "healthy", "end"), text({ x: LEFT - 5, y: HEIGHT - BOTTOM }, "worn", "end"),
    text({ x: LEFT, y: HEIGHT - 5 }, `press ${first}`, "start"), text({ x: WIDTH - RIGHT, y: HEIGHT - 5 }, String(last.press), "end"),
    draw("path", { class: "line1", d: points.map((point, i) => `${i ? "L" : "M"}${x(point.press).toFixed(1)} ${y(point.score).toFixed(1)}`).join("") }),
    draw("circle", { cx: x(last.press).toFixed(1), cy: y(last.score).toFixed(1), r: "3.5", class: "end" }));
}
