// Step 2: answers by reliability, what to label next, and the charts beside them.

import { ask, get, post } from "./api.js";
import * as charts from "./charts.js";
import * as curve from "./curve.js";
import * as desk from "./desk.js";
import { openDetail } from "./detail.js";
import * as gallery from "./gallery.js";
import * as edits from "./history.js";
import { showList } from "./long_list.js";
import * as map from "./map.js";
import * as matrix from "./matrix.js";
import * as quantities from "./quantities.js";
import { confirmed } from "./spelling.js";
import { count, fill, find, make, maybe, meter, notify, options, percent, picture } from "./dom.js";
import { word } from "./words.js";

const FEW = 24; // answers that leave no room beside them for a column of charts
let app;
let results = null;

export function start(shared) {
  app = shared;
  desk.start(app, teach, taught);
  for (const id of ["#order", "#filter"]) find(id).addEventListener("change", () => { gallery.forget(); cards(); });
  gallery.start(cards);
}

// With keep the contact that is asked about stays: a label was just given beside it.
export async function load(keep = false) {
  find("#results").ariaBusy = "true";
  const focus = app.focusDesk;
  app.focusDesk = false;
  try {
    await Promise.all([read(), quantities.load(app)]);
    if (!find("#results-body").hidden) await desk.load({ keep, focus });
  } finally { find("#results").ariaBusy = "false"; }
}

async function read() {
  const before = results?.session === app.session.session ? results : null;
  const body = find("#results-body"), empty = find("#results-empty");
  if (results && !before) { body.hidden = true; gallery.forget(); } // another session's answers are not shown while these are made
  const say = (text) => { body.hidden = true; empty.hidden = false; empty.textContent = text; results = null; };
  if (!app.session.adapted && app.session.measures) { say(""); empty.hidden = true; return; }
  const fresh = app.session.contacts.filter((contact) => contact.label === null).length, labels = app.session.contacts.length - fresh;
  const only = (cold) => { for (const part of ["#tiles", ".columns", "#learned"]) find(part).hidden = cold; };
  if (fresh && (!app.session.adapted || !labels)) { only(true); body.hidden = false; empty.hidden = true; results = null; return; } // the desk alone
  if (!app.session.adapted) { say("Nothing to show yet: add labelled and new contacts, then adapt."); return; }
  if (!fresh) { say("The sensor is adapted. Add new contacts to see answers."); return; }
  if (body.hidden) { empty.hidden = false; empty.textContent = `Answering ${count(fresh, "new contact")} with ${count(labels, "label")} …`; }
  try {
    results = { session: app.session.session, ...await get(`/v1/sessions/${app.session.session}/results`) };
  } catch (error) {
    say(error.message);
    return;
  }
  empty.hidden = true;
  body.hidden = false;
  only(false);
  results.gain = before && before.support.length !== results.support.length ? curve.gained(before, results) : null;
  curve.show(find("#learned"), results.progress, results.gain, app.info.words);
  find(".columns").classList.toggle("few", results.rows.length <= FEW);
  tiles();
  filters();
  cards();
  charts.compare(results);
  map.show(app, results, open, gallery.look);
  matrix.show(results, gallery.look);
  charts.gains(results);
}

function tiles() {
  const ours = results.methods.find((method) => method.name === "bideta");
  const hidden = results.progress.at(-1)?.hidden_accuracy ?? null;
  const told = results.rows.filter((row) => row.reliability !== null); // single foreign pictures have none
  const sure = told.length ? told.reduce((sum, row) => sum + row.reliability, 0) / told.length : null;
  find("#check").hidden = !results.check.warning;
  find("#check").textContent = results.check.warning;
  const tile = (value, text, main = false) => make("div", { class: main ? "tile main" : "tile" }, make("b", {}, value), make("span", {}, text));
  fill(find("#tiles"),
    ours.accuracy === null ? null : tile(percent(ours.accuracy, 1), app.session.simulated ? "right answers (simulated)" : "right answers, where known", true),
    ours.accuracy === null && hidden !== null ? tile(percent(hidden, 1), "right, labels hidden in turn", true) : null,
    tile(maybe(sure), word(app.info.words, "reliability", sure !== null ? "mean reliability" : results.check.level === "foreign" || results.check.kind === "strangers" ? "reliability withheld" : "too few labels to say"), ours.accuracy === null && hidden === null),
    tile(String(results.rows.length), "new contacts"),
    tile(String(results.support.length), `labels, ${count(results.classes.length, "object")}`),
    tile(`${(1000 * results.seconds).toFixed(0)} ms`, "to answer them all"));
  if (!results.joint) notify("Fewer new contacts than objects: they were answered one by one, without their neighbours.");
}

// Give a contact its label and, unless others follow, adapt again; true where the server has it.
async function teach(session, id, label, item = null, adapt = true) {
  const contact = `/v1/sessions/${session}/contacts/${id}`;
  try {
    await (adapt ? post("/v1/learn", { session, contact: id, label }) : ask("PATCH", contact, { label }));
  } catch (error) {
    notify(error.message, true);
    return false;
  }
  edits.remember(`contact labelled ${label}`, async () => {
    await ask("PATCH", contact, { label: null });
    desk.again(item);
  }, session);
  return true;
}

// Draw what new labels brought.
async function taught(labels) {
  if (!(await app.refresh())) return;
  await load(true);
  if (!labels.length) return; // the notice says why
  const gain = results?.gain ? ` ${results.gain.text} (${results.gain.name})` : "";
  notify(`Labelled as ${labels.join(", ")}; adapted again.${gain}`);
}

export async function learn(id, typed) {
  const label = await confirmed(typed, app.classes());
  if (label !== null && await teach(app.session.session, id, label)) await taught([label]);
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
  const by = (name) => (a, b) => (a[name] ?? 0) - (b[name] ?? 0);
  const orders = ["reliability_lower", "reliability", "probability"].map(by); // what it is worth at least is often the same for many
  return rows.sort((a, b) => sign * orders.reduce((order, next) => order || next(a, b), 0));
}

function cards() {
  const rows = listed();
  const held = document.activeElement.closest("#gallery [data-id]")?.dataset.id; // drawn anew, the card keeps the focus
  find("#gallery").classList.toggle("known", rows.some((row) => row.truth !== null && row.truth !== row.label));
  showList(find("#gallery"), rows, (row) => {
    const wrong = row.truth !== null && row.truth !== row.label;
    const verdict = row.truth === null ? null : wrong
      ? make("span", { class: "wrong", title: "wrong", "aria-label": "wrong" }, "✗")
      : make("span", { class: "right", title: "right", "aria-label": "right" }, "✓");
    return make("li", {}, make("button", { type: "button", title: row.name, "data-id": row.id, onclick: () => open(row.id) },
      picture(app.session.session, row.id),
      make("div", { class: "what" }, make("span", { title: wrong ? `${row.label} → ${row.truth}` : row.label }, row.label, wrong ? make("span", { class: "wrong" }, ` → ${row.truth}`) : null), verdict),
      meter(row.reliability ?? 0, `reliability ${maybe(row.reliability)}`),
      make("div", { class: "sure" }, maybe(row.reliability))));
  });
  if (!rows.length) fill(find("#gallery"), make("li", { class: "muted" }, "None."));
  if (held) find(`#gallery [data-id="${held}"]`)?.focus();
}

function open(id) {
  const order = listed().map((row) => row.id);
  openDetail(app, results, id, order.includes(id) ? order : results.rows.map((row) => row.id), learn);
}
