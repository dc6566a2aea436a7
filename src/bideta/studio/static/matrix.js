// Confusion before and after: names on the axes, a click shows the contacts behind a cell.

import { fill, find, make, options, percent } from "./dom.js";

const MOST = 40; // objects shown: those with most wrong answers

export function show(results, look) {
  const known = results.methods.filter((method) => method.confusion);
  find("#confusion-card").hidden = !known.length;
  if (!known.length) return;
  const select = find("#before");
  const others = known.filter((method) => method.name !== "bideta");
  const preferred = ["frozen", "simpleshot", "anchor"].find((name) => others.some((method) => method.name === name));
  options(select, others.map((method) => [method.name, method.title]), others.some((m) => m.name === select.value) ? select.value : preferred);
  const ours = known.find((method) => method.name === "bideta");
  const rows = worst(ours), columns = rows.map((r) => results.classes.indexOf(ours.true_classes[r])).filter((c) => c >= 0);
  const less = rows.length < ours.true_classes.length ? ` The ${rows.length} of ${ours.true_classes.length} objects with most wrong answers.` : "";
  const draw = () => {
    const before = others.find((method) => method.name === select.value);
    fill(find("#confusion"), make("div", { class: rows.length > 20 ? "pair one" : "pair" }, ...[before, ours].filter(Boolean).map((method) => matrix(method, results, rows, columns, look))),
      make("p", { class: "note" }, `Rows are true objects, columns answers; the diagonal is right. A click on a cell shows its contacts.${less}`));
  };
  select.onchange = draw;
  draw();
}

// Places of the true classes to show, in their order.
function worst(method) {
  const wrong = method.confusion.map((row, r) => [row.reduce((sum, value, c) => sum + (c === r ? 0 : value), 0), r]);
  return wrong.sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, MOST).map(([, r]) => r).sort((a, b) => a - b);
}

function matrix(method, results, rows, columns, look) {
  const { classes } = results;
  const cells = rows.flatMap((r) => {
    const total = method.confusion[r].reduce((sum, value) => sum + value, 0) || 1, truth = method.true_classes[r];
    return [make("span", { class: "of-row", title: truth }, truth), ...columns.map((c) => {
      const value = method.confusion[r][c], right = truth === classes[c], text = `${truth} → ${classes[c]}: ${value}`;
      const kind = right ? "" : "off";
      const cell = value
        ? make("button", { type: "button", class: kind, title: text, "aria-label": text, onclick: () => {
          look(new Set(results.rows.filter((row, i) => row.truth === truth && method.answers[i] === c).map(({ id }) => id)), `${truth} → ${classes[c]}${method.name === "bideta" ? "" : `, ${method.title}`}`);
        } })
        : make("i", { class: kind, title: text });
      cell.style.setProperty("--share", (value / total).toFixed(3));
      return cell;
    })];
  });
  const grid = make("div", { class: "matrix", role: "group", "aria-label": `Confusion of ${method.title}: ${percent(method.accuracy, 1)} right` },
    make("span", { class: "corner" }, "true ↓"), ...columns.map((c) => make("span", { class: "of-column", title: classes[c] }, classes[c])), ...cells);
  grid.style.gridTemplateColumns = `minmax(0, 4.6em) repeat(${columns.length}, minmax(0, 1fr))`;
  return make("div", {}, make("h3", {}, make("span", {}, method.title), make("span", { class: "num" }, percent(method.accuracy, 1))), make("p", { class: "axis-name" }, "answer →"), grid);
}
