// Step 2: answers by reliability, what to label next, and the charts beside them.

import { ask, get, post } from "./api.js";
import * as charts from "./charts.js";
import { openDetail } from "./detail.js";
import * as gallery from "./gallery.js";
import * as edits from "./history.js";
import { showList } from "./long_list.js";
import * as map from "./map.js";
import * as matrix from "./matrix.js";
import * as quantities from "./quantities.js";
import { confirmed } from "./spelling.js";
import { count, fill, find, make, meter, notify, options, percent, picture } from "./dom.js";

const FEW = 24; // answers that leave no room beside them for a column of charts
let app;
let results = null;

export function start(shared) {
  app = shared;
  for (const id of ["#order", "#filter"]) find(id).addEventListener("change", () => { gallery.forget(); cards(); });
  gallery.start(cards);
}

export async function load() {
  find("#results").ariaBusy = "true";
  try { await Promise.all([read(), quantities.load(app)]); } finally { find("#results").ariaBusy = "false"; }
}

async function read() {
  const body = find("#results-body"), empty = find("#results-empty");
  const say = (text) => { body.hidden = true; empty.hidden = false; empty.textContent = text; results = null; };
  if (!app.session.adapted && app.session.measures) { say(""); empty.hidden = true; return; }
  if (!app.session.adapted) { say("Nothing to show yet: add labelled and new contacts, then adapt."); return; }
  if (!app.session.contacts.some((contact) => contact.label === null)) { say("The sensor is adapted. Add new contacts to see answers."); return; }
  if (body.hidden) { empty.hidden = false; empty.textContent = "Working …"; }
  try {
    results = await get(`/v1/sessions/${app.session.session}/results`);
  } catch (error) {
    say(error.message);
    return;
  }
  empty.hidden = true;
  body.hidden = false;
  find(".columns").classList.toggle("few", results.rows.length <= FEW);
  tiles();
  next();
  filters();
  cards();
  charts.compare(results);
  map.show(app, results, open, gallery.look);
  matrix.show(results, gallery.look);
  charts.gains(results);
}

function tiles() {
  const ours = results.methods.find((method) => method.name === "bideta");
  const sure = results.rows.reduce((sum, row) => sum + row.reliability, 0) / results.rows.length;
  const tile = (value, text, main = false) => make("div", { class: main ? "tile main" : "tile" }, make("b", {}, value), make("span", {}, text));
  fill(find("#tiles"),
    ours.accuracy === null ? null : tile(percent(ours.accuracy, 1), app.session.simulated ? "right answers (simulated)" : "right answers, where known", true),
    tile(percent(sure), "mean reliability", ours.accuracy === null),
    tile(String(results.rows.length), "new contacts"),
    tile(String(results.support.length), `labels, ${count(results.classes.length, "object")}`),
    tile(`${(1000 * results.seconds).toFixed(0)} ms`, "to answer them all"));
  if (!results.joint) notify("Fewer new contacts than objects: they were answered one by one, without their neighbours.");
}

// Contacts whose label would help most, labelled where they stand.
function next(focus = false) {
  const rows = new Map(results.rows.map((row) => [row.id, row]));
  const list = results.suggestions.map((id) => rows.get(id)).filter(Boolean);
  find("#next-card").hidden = !list.length;
  fill(find("#next"), ...list.map((row) => {
    const input = make("input", { list: "classes", maxlength: "100", autocomplete: "off", placeholder: "object", "aria-label": `Object touched in ${row.name}` });
    return make("li", {},
      make("button", { class: "pic", type: "button", "aria-label": `Open ${row.name}`, onclick: () => open(row.id) }, picture(app.session.session, row.id)),
      make("p", { class: "guess", title: row.name }, ...[row.label, row.second_choice].filter(Boolean).map((name) => make("button", { type: "button", class: "quiet", "aria-label": `${row.name} is ${name}`, onclick: () => learn(row.id, name, true) }, name))),
      make("form", { onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) learn(row.id, input.value.trim(), true); } }, input, make("button", { type: "submit" }, "Label")));
  }));
  if (focus) find("#next input")?.focus();
}

export async function learn(id, typed, focus = false) {
  const label = await confirmed(typed, app.classes());
  if (label === null) return;
  const session = app.session.session;
  try {
    edits.remember(`contact labelled ${label}`, () => ask("PATCH", `/v1/sessions/${session}/contacts/${id}`, { label: null }));
    await post("/v1/learn", { session: app.session.session, contact: id, label });
  } catch (error) {
    notify(error.message, true);
    return;
  }
  await app.refresh();
  await load();
  notify(`Labelled as ${label}; adapted again.`);
  if (focus) find("#next input")?.focus();
}

function filters() {
  const select = find("#filter");
  const known = results.rows.some((row) => row.truth !== null);
  const values = [["", "all"], ...(known ? [["wrong", "wrong answers"]] : []), ...results.classes.map((name) => [`=${name}`, name])];
  options(select, values, values.some(([value]) => value === select.value) ? select.value : "");
}

function listed() {
  const filter = find("#filter").value;
  const rows = results.rows.filter(gallery.wanted).filter((row) => {
    if (filter === "wrong") return row.truth !== null && row.truth !== row.label;
    return !filter || row.label === filter.slice(1);
  });
  const sign = find("#order").value === "sure" ? -1 : 1;
  return rows.sort((a, b) => sign * (a.reliability - b.reliability));
}

function cards() {
  const rows = listed();
  const held = document.activeElement.closest("#gallery [data-id]")?.dataset.id; // drawn anew, the card keeps the focus
  showList(find("#gallery"), rows, (row) => {
    const verdict = row.truth === null ? null : row.truth === row.label
      ? make("span", { class: "right", title: "right", "aria-label": "right" }, "✓")
      : make("span", { class: "wrong", title: `is ${row.truth}`, "aria-label": `wrong, it is ${row.truth}` }, "✗");
    return make("li", {}, make("button", { type: "button", title: row.name, "data-id": row.id, onclick: () => open(row.id) },
      picture(app.session.session, row.id),
      make("div", { class: "what" }, make("span", {}, row.label), verdict),
      meter(row.reliability, `reliability ${percent(row.reliability)}`),
      make("div", { class: "sure" }, percent(row.reliability))));
  });
  if (!rows.length) fill(find("#gallery"), make("li", { class: "muted" }, "None."));
  if (held) find(`#gallery [data-id="${held}"]`)?.focus();
}

function open(id) {
  const order = listed().map((row) => row.id);
  openDetail(app, results, id, order.includes(id) ? order : results.rows.map((row) => row.id), learn);
}
