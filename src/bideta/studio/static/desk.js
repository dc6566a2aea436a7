// What to label next, one contact at a time. Keys: 1–9 an object, Enter the first guess, → skip, letters another object.

import { get } from "./api.js";
import { count, fill, find, make, notify, percent } from "./dom.js";
import { enlargeable } from "./enlarged.js";
import { confirmed } from "./spelling.js";

const FIRST = 10; // "label these ten first"
const MOST = 9; // number keys
let app, teach, taught;
let owner = null; // the session that all below belongs to
let list = []; // {id, name, likely}: the first one is asked about
let cold = false;
let skipped = new Set();
let sent = new Map(); // contact → label on its way
let learnt = []; // labels that the server knows and the page will read in a moment
let jobs = Promise.resolve();
let returned = null; // whose label was taken back: asked about again
let hungry = false; // the last contact was labelled before the next ones came

// teach(session, contact, label, item, adapt) → whether it was learnt; taught(labels) is called when no label is on its way any more.
export function start(shared, one, all) {
  [app, teach, taught] = [shared, one, all];
  document.addEventListener("keydown", press);
}

// Read what to label next. With keep the contact that is asked about stays, with its guesses: nothing moves under a finger.
export async function load({ keep = false, focus = false } = {}) {
  const session = app.session.session;
  if (owner !== session) { owner = session; list = []; skipped = new Set(); sent = new Map(); done.length = 0; }
  const there = new Set(app.session.contacts.filter(({ label }) => label === null).map(({ id }) => id));
  for (const id of [...skipped]) if (!there.has(id)) skipped.delete(id);
  let given;
  try {
    given = await get(`/v1/sessions/${session}/suggestions?count=${Math.min(100, FIRST + skipped.size + sent.size)}`);
  } catch (error) {
    notify(error.message, true);
    return;
  }
  if (owner !== session) return;
  cold = given.cold;
  const first = returned ?? (keep ? list[0] : null), held = first && there.has(first.id) && !sent.has(first.id) ? [first] : [];
  const wanted = focus || hungry || Boolean(returned) || find("#next").contains(document.activeElement);
  returned = null;
  list = [...held, ...given.contacts.filter(({ id }) => !skipped.has(id) && !sent.has(id) && id !== held[0]?.id)].slice(0, FIRST);
  if (!list.length && skipped.size && given.contacts.length) { skipped.clear(); list = given.contacts.filter(({ id }) => !sent.has(id)); }
  if (!held.length || find("#next .ask-desk")?.dataset.id !== held[0].id) show(wanted); else coming();
}

export const waiting = () => sent.size > 0;

// Ask about a contact again whose label was taken back.
export function again(item) { returned = item; }

const names = () => [...new Set([...app.classes(), ...learnt, ...sent.values()])];

// Likely objects first; those that the server did not know of yet follow.
function guesses(item) {
  const likely = item.likely.map(({ label, probability }) => ({ label, probability }));
  const known = new Set(likely.map(({ label }) => label));
  return [...likely, ...names().filter((name) => !known.has(name)).map((label) => ({ label, probability: null }))].slice(0, MOST);
}

function show(focus) {
  const card = find("#next-card"), item = list[0];
  hungry = !item && Boolean(sent.size);
  card.hidden = !item && !sent.size;
  find("#next-title").textContent = cold ? `Label ${list.length === 1 ? "this one" : `these ${list.length === FIRST ? "ten" : list.length}`} first` : "Label next";
  find("#next-why").textContent = cold
    ? "Nothing is labelled yet. These touches stand for most of the others; name what was touched. The sensor adapts after each."
    : "These labels would help most. Each one adapts the sensor again at once.";
  if (!item) { fill(find("#next"), make("p", { class: "muted" }, sent.size ? `Learning ${count(sent.size, "label")} …` : "")); return; }
  const session = app.session.session, offered = guesses(item);
  const input = make("input", { list: "classes", maxlength: "100", autocomplete: "off", placeholder: offered.length ? "another object" : "name of the object", "aria-label": `Object touched in ${item.name}` });
  const key = (text) => make("kbd", { "aria-hidden": "true" }, text);
  const buttons = offered.map(({ label, probability }, i) => make("button", { type: "button", class: i < 2 ? "likely" : "quiet", "aria-label": `${item.name} is ${label}`, "data-label": label, onclick: () => give(label) },
    key(String(i + 1)), make("span", {}, label), probability === null ? null : make("small", { class: "num" }, percent(probability))));
  fill(find("#next"),
    enlargeable(session, item, "New contact", true),
    make("div", { class: "ask-desk", "data-id": item.id },
      make("p", { class: "muted name", title: item.name }, item.name),
      make("div", { class: "guess", role: "group", "aria-label": "What is it?" }, ...buttons),
      make("form", { class: "row", onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) give(input.value.trim()); } },
        input, make("button", { type: "submit" }, "Label"), make("button", { type: "button", class: "quiet", onclick: skip }, "Skip ", key("→"))),
      make("p", { class: "note" }, offered.length ? "Keys: 1–9 an object, Enter the first, → skip, letters another object, ctrl-Z takes back." : "Type its name, then Enter. → skips.")),
    make("ul", { class: "coming", "aria-label": "Next ones" }));
  coming();
  if (focus) (find("#next .guess button") ?? input).focus({ preventScroll: true });
}

function coming() {
  const place = find("#next .coming");
  if (place) fill(place, ...list.slice(1).map((item) => make("li", {}, enlargeable(app.session.session, item, "New contact"))));
}

async function give(typed) {
  const item = list[0];
  const label = await confirmed(typed, names());
  if (label === null) { find("#next input")?.focus(); return; }
  if (list[0] !== item) return;
  const session = owner; // labels that wait go there, whatever page is opened meanwhile
  sent.set(item.id, label);
  list.shift();
  show(true);
  jobs = jobs.catch(() => {}).then(() => send(session, item, label));
}

const done = []; // learnt since the page was last drawn
async function send(session, item, label) {
  const last = () => [...sent.keys()].at(-1) === item.id; // labels that others follow are only stored; the last one adapts to all
  const stored = await teach(session, item.id, label, item, last());
  if (owner !== session) return;
  if (stored) done.push(label); else list.splice(1, 0, item); // behind the one that is shown
  if (!last()) return;
  sent = new Map();
  if (app.session?.session !== session) return;
  learnt = [...done];
  await taught(done.splice(0)); // also where none was learnt: the contact may be gone
  learnt = [];
}

function skip() {
  if (!list.length) return;
  skipped.add(list.shift().id);
  show(true);
  if (list.length < 3) load({ keep: true });
}

function press(event) {
  const tab = event.target.closest(".tabs"); // where the focus is after a click on "Results"; arrows go from tab to tab there
  const inside = event.target.closest("#next-card, .tools") || tab || event.target === document.body;
  if (!inside || find("#next-card").offsetParent === null || find("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
  const input = find("#next input");
  if (!input || (event.target.matches("input") && (event.target.value || event.key !== "ArrowRight"))) return;
  if (/^[1-9]$/.test(event.key)) find(`#next .guess button:nth-child(${event.key})`)?.click();
  else if (event.key === "ArrowRight" && !tab) skip();
  else if (/^\p{L}$/u.test(event.key)) input.focus(); // the letter itself is typed there
  else return;
  if (!/^\p{L}$/u.test(event.key)) event.preventDefault();
}

