// A small curve: accuracy against labels given, and what the last label brought.

import { draw, fill, make, percent } from "./dom.js";
import { word } from "./words.js";

const WIDTH = 300, HEIGHT = 84, LEFT = 40, RIGHT = 10, TOP = 8, BOTTOM = 20;

// → {text, held}: "72.5 → 73.0 %" on the same new contacts before and after; without known labels on hidden ones.
export function gained(before, after) {
  const old = new Map(before?.rows.map((row) => [row.id, row.label]));
  const both = after.rows.filter((row) => row.truth !== null && old.has(row.id));
  const share = (right) => both.filter(right).length / both.length;
  const known = after.rows.some((row) => row.truth !== null);
  const last = after.progress.at(-1), earlier = before?.progress.at(-1);
  const [from, to] = both.length ? [share((row) => old.get(row.id) === row.truth), share((row) => row.label === row.truth)]
    : known ? [null, last.accuracy] : [earlier?.hidden_accuracy ?? null, last.hidden_accuracy];
  if (to === null || to === undefined) return null;
  const digits = (value) => (100 * value).toFixed(1);
  const name = known ? "held-out" : "hidden in turn";
  return { name, text: `${from === null ? "" : `${digits(from)} → `}${digits(to)} %` };
}

export function show(place, progress, gain, words) {
  const known = progress.at(-1)?.accuracy !== null;
  const points = progress.map((point) => [point.labels, known ? point.accuracy : point.hidden_accuracy]).filter(([, value]) => value !== null && value !== undefined);
  place.hidden = !points.length;
  if (!points.length) return;
  const name = known ? "held-out" : "hidden in turn";
  const [labels, value] = points.at(-1);
  fill(place,
    make("div", {}, make("p", { class: "gain" }, make("b", { class: "num" }, gain?.text ?? percent(value, 1)), " ", word(words, name, `(${name})`)),
      make("p", { class: "note" }, points.length > 1 ? `Right answers against labels given, up to ${labels}.` : `Right answers with ${labels} labels. Each label adds a point.`)),
    points.length > 1 ? line(points, name) : null);
}

function line(points, name) {
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
  const low = Math.max(0, Math.min(...ys) - 0.05), high = Math.min(1, Math.max(...ys) + 0.05);
  const x = (value) => LEFT + ((value - xs[0]) / Math.max(1, xs.at(-1) - xs[0])) * (WIDTH - LEFT - RIGHT);
  const y = (value) => TOP + ((high - value) / Math.max(1e-9, high - low)) * (HEIGHT - TOP - BOTTOM);
  const text = (place, value, anchor) => { const element = draw("text", { ...place, "text-anchor": anchor }); element.textContent = value; return element; };
  const [n, last] = points.at(-1);
  return draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "curve", role: "img", "aria-label": `Accuracy (${name}): ${percent(ys[0], 1)} with ${xs[0]} labels, ${percent(last, 1)} with ${n}` },
    draw("path", { class: "axis", d: `M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}` }),
    text({ x: LEFT - 5, y: TOP + 8 }, percent(high), "end"), text({ x: LEFT - 5, y: HEIGHT - BOTTOM }, percent(low), "end"),
    text({ x: LEFT, y: HEIGHT - 5 }, `${xs[0]} labels`, "start"), text({ x: WIDTH - RIGHT, y: HEIGHT - 5 }, String(n), "end"),
    draw("path", { class: "line1", d: points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("") }),
    draw("circle", { cx: x(n).toFixed(1), cy: y(last).toFixed(1), r: "3.5", class: "end" }));
}
