// Quantities: a table or a sensor that measures comes in; values, intervals and true values are shown.

import { ask, get } from "./api.js";
import { valueColour, valueGradient } from "./colours.js";
import { count, fill, find, make, notify, options, percent, picture } from "./dom.js";
import * as edits from "./history.js";
import { showList } from "./long_list.js";
import { Scatter } from "./scatter.js";

const KINDS = [[/\.csv$/i, "table"], [/\.bideta$/i, "sensor"]];
const SORTS = [["wide", "widest interval first"], ["off", "largest error first"], ["low", "smallest value first"], ["high", "largest value first"]];
let app;
let data = null;
let only = null; // {ids, text} of what was chosen on a map
let given = {}; // session → what → the last file, for undo
let chart = null, map = null;

export function start(shared) {
  app = shared;
  for (const what of ["table", "sensor"]) {
    find(`#measure-${what}`).addEventListener("change", async (event) => {
      const [file] = event.target.files;
      event.target.value = "";
      if (file) await give(what, file);
    });
  }
  find("#measure-forget").addEventListener("click", takeAway);
  for (const id of ["#target", "#value-order", "#value-filter"]) find(id).addEventListener("change", () => { if (id !== "#value-order") only = null; draw(); });
  find("#coverage").addEventListener("change", () => load(app));
  options(find("#value-order"), SORTS, "wide");
  const dialog = find("#measured");
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) open(listed()[listed().findIndex(({ id }) => id === dialog.dataset.id) + by]?.id);
  });
}

// The tables and sensors among dropped files.
export const kindOf = (file) => KINDS.find(([ending]) => ending.test(file.name))?.[1] ?? null;

const address = (what = "") => `/v1/sessions/${app.session.session}/quantities${what && `/${what}`}`;

export async function give(what, file) {
  const mine = given[app.session.session] ??= {};
  const before = mine[what] ?? null, had = app.session.measures;
  try {
    const answer = await send(what, file);
    mine[what] = file;
    edits.remember(`${file.name} given`, async () => {
      mine[what] = before;
      if (before) await send(what, before);
      else if (!had) await ask("DELETE", address());
    });
    notify(what === "sensor" ? `${file.name} measures ${answer.targets.join(", ")}.`
      : `${answer.targets.join(", ")} of ${count(answer.learned, "contact")} learned, of ${answer.checked.toLocaleString("en")} kept back to check the answers.${answer.missing_count ? ` ${count(answer.missing_count, "row")} of the table ${answer.missing_count === 1 ? "is" : "are"} no contact of this session, such as ${answer.missing[0]}.` : ""}`);
  } catch (error) {
    notify(error.message, true);
    return;
  }
  await app.changed();
}

async function send(what, file) {
  const form = new FormData();
  form.append("files", file, file.name);
  const angles = find("#measure-angles").value.trim();
  if (what === "table" && angles) form.append("periods", angles);
  return ask("PUT", address(what), form);
}

async function takeAway() {
  const mine = given[app.session.session] ?? {};
  await ask("DELETE", address()).catch((error) => notify(error.message, true));
  if (mine.sensor ?? mine.table) edits.remember("quantities taken away", async () => { for (const what of ["sensor", "table"]) if (mine[what]) await send(what, mine[what]); });
  await app.changed();
}

// Another session: its values are not shown while these are made.
export function forget() { data = only = null; find("#quantities").hidden = true; }

// In the step of contacts: what the session measures.
export function status() {
  find("#measure-forget").hidden = !app.session.measures;
  find("#measure-state").textContent = app.session.measures ? "This session measures; see Results." : "";
}

export async function load(shared) {
  app = shared;
  const place = find("#quantities");
  if (!app.session.measures) { place.hidden = true; data = null; return; }
  try {
    data = await get(`${address()}?coverage=${find("#coverage").value}`);
  } catch (error) {
    place.hidden = true;
    notify(error.message, true);
    return;
  }
  place.hidden = false;
  const select = find("#target");
  options(select, data.targets.map((target, t) => [String(t), named(target)]), data.targets[select.value] ? select.value : "0");
  const known = data.rows.some((row) => row.truth.some((value) => value !== null));
  const filters = [["", "all"], ["new", "new"], ["learned", "learned"], ...(known ? [["missed", "truth outside the interval"]] : []), ["foreign", "from elsewhere"]];
  options(find("#value-filter"), filters, filters.some(([value]) => value === find("#value-filter").value) ? find("#value-filter").value : "");
  draw();
}

const named = (target) => (target.unit ? `${target.name} (${target.unit})` : target.name);
const short = (value) => (value === null ? "–" : Number(value.toPrecision(3)).toLocaleString("en", { maximumSignificantDigits: 3 }));
const withUnit = (value, target) => (value === null ? "–" : `${short(value)}${target.unit ? ` ${target.unit}` : ""}`);
const off = (row, t) => {
  if (row.truth[t] === null) return null;
  const period = data.targets[t].period, plain = row.value[t] - row.truth[t];
  return Math.abs(period ? plain - period * Math.round(plain / period) : plain);
};
const width = (row, t) => (row.lower[t] === null ? Infinity : row.upper[t] - row.lower[t]);
const missed = (row, t) => row.truth[t] !== null && off(row, t) > width(row, t) / 2;

function draw() {
  const t = Number(find("#target").value), target = data.targets[t];
  tiles(t, target);
  find("#measure-warning").hidden = !data.warning;
  find("#measure-warning").textContent = data.warning;
  const numbers = data.rows.flatMap((row) => [row.value[t], row.truth[t]]).filter((value) => value !== null);
  const low = Math.min(...numbers), high = Math.max(...numbers), range = high - low || 1;
  const note = find("#value-only");
  note.hidden = !only;
  fill(note, ...(only ? [make("span", {}, `Only ${only.text}`), make("button", { type: "button", class: "quiet", onclick: () => { only = null; draw(); } }, "Show all")] : []));
  const scale = { low: low - 0.04 * range, high: high + 0.04 * range };
  predictedAgainstTrue(t, target, scale);
  valueMap(t, target, low, range);
  list(t, target, scale);
}

function tiles(t, target) {
  const checked = target.checked ?? target.left_out, fresh = Boolean(target.checked);
  const tile = (value, text, main = false) => make("div", { class: main ? "tile main" : "tile" }, make("b", {}, value), make("span", {}, text));
  const new_ = data.rows.filter((row) => !row.learned);
  const wide = new_.map((row) => width(row, t)).filter(Number.isFinite);
  fill(find("#measure-tiles"),
    checked ? tile(withUnit(checked.mae, target), fresh ? `mean error of ${count(checked.count, "new contact")} whose truth is known` : "mean error of learned contacts, each left out in turn", true) : null,
    checked ? tile(percent(checked.covered), `of true values lie in the intervals; ${percent(data.coverage)} are promised`) : null,
    wide.length ? tile(withUnit(wide.reduce((a, b) => a + b, 0) / wide.length, target), "mean width of an interval") : null,
    tile(data.learned.toLocaleString("en"), data.opened ? `contacts that ${data.opened} learned from` : "contacts learned from"),
    tile(new_.length.toLocaleString("en"), "new contacts"));
}

function predictedAgainstTrue(t, target, { low, high }) {
  const rows = data.rows.filter((row) => row.truth[t] !== null);
  find("#chart-empty").hidden = Boolean(rows.length);
  find("#chart-body").hidden = !rows.length;
  if (!rows.length) return;
  chart ??= new Scatter(find("#chart"), "Predicted against true values");
  const to = (value) => (2 * (value - low)) / (high - low) - 1;
  const byId = new Map(rows.map((row) => [row.id, row]));
  chart.show({
    session: app.session.session,
    points: rows.map((row) => ({ ...point(row, t, target), place: [to(row.truth[t]), to(row.value[t])] })),
    tags: [],
    colour: (item, dark) => (missed(byId.get(item.id), t) ? (dark ? "#ff9c86" : "#a8321a") : (dark ? "#63c7d1" : "#0f6b74")),
    under: (pen, at, style, side) => axes(pen, at, style, side, to, low, high, rows, t, named(target)),
    note: `◆ learned, answered without itself; ● new. Lines are intervals that promise ${percent(data.coverage)}; those that miss the truth are red. On the diagonal the answer is right.`,
    open: ({ id }) => open(id),
    look,
  });
}

// Ticks, the diagonal and the intervals, below the points.
function axes(pen, at, style, side, to, low, high, rows, t, name) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map((k) => k * power).find((k) => k >= rough);
  pen.strokeStyle = pen.fillStyle = style.color;
  pen.font = "11px system-ui, sans-serif";
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
    const [x, y] = at([to(value), to(value)]);
    pen.globalAlpha = 0.1;
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x, 0); pen.lineTo(x, side); pen.moveTo(0, y); pen.lineTo(side, y);
    pen.stroke();
    pen.globalAlpha = 0.65;
    const text = String(Number(value.toPrecision(6)));
    pen.textAlign = "center";
    pen.fillText(text, x, side - 5);
    pen.textAlign = "left";
    if (y < side - 22) pen.fillText(text, 5, y - 3);
  }
  pen.globalAlpha = 0.85;
  pen.font = "12px system-ui, sans-serif";
  pen.fillText(`↑ predicted ${name}`, 8, 18);
  pen.textAlign = "right";
  pen.fillText(`true ${name} →`, side - 8, side - 20);
  pen.globalAlpha = 0.5;
  pen.lineWidth = 1.2;
  pen.setLineDash([5, 4]);
  pen.beginPath();
  pen.moveTo(...at([-1.2, -1.2])); pen.lineTo(...at([1.2, 1.2]));
  pen.stroke();
  pen.setLineDash([]);
  pen.globalAlpha = Math.max(0.12, Math.min(0.45, 40 / rows.length));
  pen.beginPath();
  for (const row of rows) {
    if (row.lower[t] === null) continue;
    pen.moveTo(...at([to(row.truth[t]), to(row.lower[t])]));
    pen.lineTo(...at([to(row.truth[t]), to(row.upper[t])]));
  }
  pen.stroke();
  pen.globalAlpha = 1;
}

const point = (row, t, target) => ({ id: row.id, name: row.name, text: withUnit(row.value[t], target), kind: row.learned ? "labelled" : "new", place: row.place });

function valueMap(t, target, low, range) {
  map ??= new Scatter(find("#value-map"), "Map of contacts, coloured by value");
  const values = new Map(data.rows.map((row) => [row.id, row.value[t]]));
  map.show({
    session: app.session.session,
    points: data.rows.map((row) => point(row, t, target)),
    tags: [],
    colour: ({ id }) => valueColour((values.get(id) - low) / range),
    note: "◆ learned, ● new, coloured by predicted value. All readouts, standardised, first two principal components.",
    open: ({ id }) => open(id),
    look,
  });
  const bar = make("i", {});
  bar.style.background = valueGradient();
  fill(find("#value-legend"), make("span", { class: "num" }, withUnit(low, target)), bar, make("span", { class: "num" }, withUnit(low + range, target)));
}

function look(points) {
  only = { ids: new Set(points.map(({ id }) => id)), text: `${count(points.length, "contact")} from the map` };
  draw();
  find("#values-title").scrollIntoView({ block: "center" });
  find("#value-only button").focus({ preventScroll: true });
}

function listed() {
  const t = Number(find("#target").value), filter = find("#value-filter").value;
  const keep = { "": () => true, new: (row) => !row.learned, learned: (row) => row.learned, missed: (row) => missed(row, t), foreign: (row) => row.foreign }[filter];
  const by = { wide: (row) => -width(row, t), off: (row) => -(off(row, t) ?? -1), low: (row) => row.value[t], high: (row) => -row.value[t] }[find("#value-order").value];
  const rows = data.rows.filter((row) => keep(row) && (!only || only.ids.has(row.id)));
  return rows.map((row) => [by(row), row]).sort((a, b) => (a[0] < b[0] ? -1 : Number(a[0] > b[0]))).map(([, row]) => row);
}

function list(t, target, scale) {
  const rows = listed();
  showList(find("#values"), rows, (row) => make("li", {}, make("button", { type: "button", title: row.name, "data-id": row.id, onclick: () => open(row.id) },
    picture(app.session.session, row.id),
    make("div", { class: "what" }, make("span", {}, withUnit(row.value[t], target)), row.foreign ? make("span", { class: "wrong", title: "unlike all that was learned from" }, "?") : null),
    interval(row, t, target, scale),
    make("div", { class: "sure" }, row.lower[t] === null ? "no interval" : `${short(row.lower[t])} … ${short(row.upper[t])}`),
    make("div", { class: missed(row, t) ? "sure wrong" : "sure" }, row.truth[t] === null ? "\u00a0" : `true ${short(row.truth[t])}`))));
  if (!rows.length) fill(find("#values"), make("li", { class: "muted" }, "None."));
}

// The interval as a bar, the answer as a line on it, the truth as a dot.
function interval(row, t, target, { low, high }) {
  const share = (value) => 100 * Math.max(0, Math.min(1, (value - low) / (high - low)));
  const text = `${withUnit(row.value[t], target)}${row.lower[t] === null ? "" : `, between ${short(row.lower[t])} and ${short(row.upper[t])}`}${row.truth[t] === null ? "" : `, true ${short(row.truth[t])}`}`;
  const place = make("div", { class: "interval", role: "img", "aria-label": text });
  const add = (kind, left, right = null) => { const part = make("i", { class: kind }); part.style.left = `${left}%`; if (right !== null) part.style.width = `${right - left}%`; place.append(part); };
  add("range", row.lower[t] === null ? 0 : share(row.lower[t]), row.upper[t] === null ? 100 : share(row.upper[t]));
  add("value", share(row.value[t]));
  if (row.truth[t] !== null) add(missed(row, t) ? "truth missed" : "truth", share(row.truth[t]));
  return place;
}

function open(id) {
  const row = data.rows.find((one) => one.id === id), dialog = find("#measured");
  if (!row) return;
  dialog.dataset.id = id;
  const known = row.truth.some((value) => value !== null);
  const lines = data.targets.map((target, t) => make("tr", {}, make("th", { scope: "row" }, target.name), make("td", {}, withUnit(row.value[t], target)),
    make("td", {}, row.lower[t] === null ? "–" : `${short(row.lower[t])} … ${withUnit(row.upper[t], target)}`),
    ...(known ? [make("td", { class: missed(row, t) ? "wrong" : "" }, withUnit(row.truth[t], target))] : [])));
  fill(dialog,
    make("div", { class: "detail-head" }, make("h2", { id: "measured-title", title: row.name }, row.name), make("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, "✕")),
    make("div", { class: "detail-body measured" }, picture(app.session.session, id, row.name), make("div", {},
      make("table", { class: "dist" }, make("thead", {}, make("tr", {}, ...["Quantity", "Value", `${percent(data.coverage)} interval`, ...(known ? ["True"] : [])].map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...lines)),
      make("p", { class: "note" }, row.learned ? "The sensor learned from this contact; the answer is what it says without it." : row.foreign ? "Unlike all contacts that the sensor learned from: neither value nor interval can be trusted." : ""))));
  if (!dialog.open) dialog.showModal();
}

// In the step of export.
export const cards = (card) => (app?.session?.measures ? [
  card("Values", "Value, lower and upper end of every quantity of every new contact; the names of the columns carry the units.", "quantities.csv"),
  card("Sensor that measures", "One file without code in it. Load it with BidetaRegressor.load, use it on the command line, or open it here.", "quantities.bideta")] : []);
