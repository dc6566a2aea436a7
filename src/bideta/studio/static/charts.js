// Map, confusion, spectrum and comparison, drawn by hand.

import { draw, fill, find, make, options, percent } from "./dom.js";

const MOST = 3000; // points on the map; more are thinned out

// Neighbouring classes get distant hues: the golden angle.
const hue = (place) => (place * 137.5) % 360;
const colour = (place) => `light-dark(hsl(${hue(place)} 55% 40%), hsl(${hue(place)} 60% 65%))`;

export function compare(results) {
  const known = results.methods.some((method) => method.accuracy !== null);
  const order = ["frozen", "simpleshot", "anchor", "bideta", "press"];
  const rows = results.methods.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)).flatMap((method) => {
    const value = known ? method.accuracy : method.agreement;
    const inner = make("div");
    inner.style.width = percent(value, 1).replace(" ", "");
    const ours = method.name === "bideta" ? " ours" : "";
    return [make(ours ? "b" : "span", {}, method.title), make("div", { class: `track${ours}` }, inner), make(ours ? "b" : "span", { class: "num" }, percent(value, 1))];
  });
  const text = known
    ? `Share of right answers among the ${results.methods[0].known} new contacts whose label is known. Labels of new contacts are never used to find answers.`
    : "How often each method gives the same answer as BIDETA. Drop new contacts in folders named like the objects to see accuracy.";
  const missing = Object.entries(results.unavailable).map(([name, reason]) => make("p", { class: "note" }, `${name}: ${reason}`));
  fill(find("#compare"), make("div", { class: "bars" }, ...rows), make("p", { class: "note" }, text), ...missing);
}

export function map(results, open) {
  const size = 480, margin = 14;
  const place = ([x, y]) => [margin + ((x + 1) / 2) * (size - 2 * margin), margin + ((1 - y) / 2) * (size - 2 * margin)];
  const stride = Math.ceil(results.rows.length / MOST);
  const index = new Map(results.classes.map((name, i) => [name, i]));
  const svg = draw("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `Map of ${results.rows.length} new and ${results.support.length} labelled contacts in the spectral geometry` });
  const add = (item, shape) => {
    shape.dataset.label = item.label;
    shape.style.fill = colour(index.get(item.label) ?? 0);
    shape.append(title(`${item.label}: ${item.name}`));
    svg.append(shape);
  };
  for (const row of results.rows.filter((_, i) => i % stride === 0)) {
    const [x, y] = place(row.place);
    const dot = draw("circle", { cx: x.toFixed(1), cy: y.toFixed(1), r: "4.5", class: "dot" });
    dot.addEventListener("click", () => open(row.id));
    add(row, dot);
  }
  const centres = new Map();
  for (const item of results.support) {
    const [x, y] = place(item.place);
    add(item, draw("path", { d: `M${x} ${y - 6.5}L${x + 6.5} ${y}L${x} ${y + 6.5}L${x - 6.5} ${y}Z`, class: "dot" }));
    centres.set(item.label, [...(centres.get(item.label) ?? []), [x, y]]);
  }
  for (const [label, places] of centres) {
    const mean = (axis) => places.reduce((sum, point) => sum + point[axis], 0) / places.length;
    const text = draw("text", { x: mean(0).toFixed(1), y: (mean(1) - 9).toFixed(1), "text-anchor": "middle", class: "name-tag" });
    text.textContent = label.length > 14 ? `${label.slice(0, 13)}…` : label;
    text.dataset.label = label;
    svg.append(text);
  }
  const select = find("#highlight");
  const before = select.value;
  options(select, [["", "all"], ...results.classes.map((name) => [name, name])], results.classes.includes(before) ? before : "");
  const light = () => { for (const shape of svg.querySelectorAll("[data-label]")) shape.classList.toggle("faint", Boolean(select.value) && shape.dataset.label !== select.value); };
  select.onchange = light;
  light();
  fill(find("#map"), svg, make("p", { class: "note" }, "◆ labelled, ● new, coloured by answer. All readouts after the spectral step, first two principal components."));
}

function title(text) {
  const element = draw("title");
  element.textContent = text;
  return element;
}

export function confusion(results) {
  const known = results.methods.filter((method) => method.confusion);
  find("#confusion-card").hidden = !known.length;
  if (!known.length) return;
  const select = find("#before");
  const others = known.filter((method) => method.name !== "bideta");
  const preferred = ["frozen", "simpleshot", "anchor"].find((name) => others.some((method) => method.name === name));
  options(select, others.map((method) => [method.name, method.title]), others.some((m) => m.name === select.value) ? select.value : preferred);
  const ours = known.find((method) => method.name === "bideta");
  const show = () => {
    const before = others.find((method) => method.name === select.value);
    fill(find("#confusion"), make("div", { class: "pair" }, ...[before, ours].filter(Boolean).map((method) => matrix(method, results.classes))),
      make("p", { class: "note" }, "Rows are true objects, columns answers, in alphabetical order; the diagonal is right. Point at a cell for its count."));
  };
  select.onchange = show;
  show();
}

function matrix(method, classes) {
  const grid = make("div", { class: "matrix", role: "img", "aria-label": `Confusion of ${method.title}: ${percent(method.accuracy, 1)} right` });
  grid.style.gridTemplateColumns = `repeat(${classes.length}, 1fr)`;
  method.confusion.forEach((row, r) => {
    const total = row.reduce((sum, value) => sum + value, 0) || 1;
    row.forEach((value, c) => {
      const right = method.true_classes[r] === classes[c];
      const cell = make("i", { class: right ? "" : "off", title: `${method.true_classes[r]} → ${classes[c]}: ${value}` });
      cell.style.setProperty("--share", (value / total).toFixed(3));
      grid.append(cell);
    });
  });
  return make("div", {}, make("h3", {}, make("span", {}, method.title), make("span", { class: "num" }, percent(method.accuracy, 1))), grid);
}

export function gains(results) {
  const width = 480, height = 200, left = 40, bottom = 26, top = 10;
  const lines = results.gains.map((readout) => [...readout.values, ...(readout.n_rest ? [readout.rest] : [])].map((value) => Math.log10(value)));
  const flat = lines.flat();
  if (!flat.length) { fill(find("#gains"), make("p", { class: "note" }, "With one contact for each object there is no variation to learn from; the geometry stays as it is.")); return; }
  const low = Math.min(...flat, -0.1), high = Math.max(...flat, 0.1);
  const longest = Math.max(...lines.map((line) => line.length), 2);
  const x = (i) => left + (i / (longest - 1)) * (width - left - 8);
  const y = (value) => top + ((high - value) / (high - low)) * (height - top - bottom);
  const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Gain of every direction, by falling variation within an object" });
  svg.append(draw("path", { d: `M${left} ${top}V${height - bottom}H${width - 8}`, class: "axis" }), draw("path", { d: `M${left} ${y(0)}H${width - 8}`, class: "axis one" }));
  for (const [value, text] of [[low, 10 ** low], [high, 10 ** high], ...(low < -0.25 && high > 0.25 ? [[0, 1]] : [])]) {
    const label = draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" });
    label.textContent = text.toPrecision(2);
    svg.append(label);
  }
  const caption = draw("text", { x: (left + width) / 2, y: height - 6, "text-anchor": "middle" });
  caption.textContent = "directions, most variable within an object first";
  svg.append(caption);
  lines.forEach((line, v) => svg.append(draw("path", { d: line.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join(""), class: `line${v + 1}` })));
  const legend = results.gains.map((readout, v) => make("span", {}, make("i", { class: v ? "key two" : "key" }), `readout ${v + 1}, shrinkage ${readout.shrinkage.toFixed(2)}`));
  fill(find("#gains"), svg, make("div", { class: "legend" }, ...legend),
    make("p", { class: "note" }, `Gain of each direction (γ = ${results.gamma}). Directions in which touches of one object differ count less when contacts are compared.`));
}
