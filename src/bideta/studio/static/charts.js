// Spectrum and comparison, drawn by hand.

import { draw, fill, find, make, percent } from "./dom.js";

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

export function gains(results) {
  const width = 480, height = 200, left = 48, bottom = 26, top = 10;
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
  const coloured = (element, v) => { element.style.setProperty("--turn", `${v * 137.5}deg`); return element; };
  lines.forEach((line, v) => svg.append(coloured(draw("path", { d: line.map((value, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(value).toFixed(1)}`).join(""), class: "line of-readout" }), v)));
  const legend = results.gains.map((readout, v) => make("span", {}, coloured(make("i", { class: "key of-readout" }), v), `readout ${v + 1}, shrinkage ${readout.shrinkage.toFixed(2)}`));
  fill(find("#gains"), svg, make("div", { class: "legend" }, ...legend),
    make("p", { class: "note" }, `Gain of each direction (γ = ${results.gamma}). Directions in which touches of one object differ count less when contacts are compared.`));
}
