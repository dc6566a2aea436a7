// One contact: its readouts, anchor, gate, final distribution, neighbours; labelled in place.

import { get } from "./api.js";
import { fill, find, make, notify, percent, picture } from "./dom.js";
import { enlarge, enlargeable } from "./enlarged.js";
import { word } from "./words.js";

const TOP = 5; // classes listed
const MOST = 9; // number keys
let state = null;

export function start() {
  const dialog = find("#detail");
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => { if (state.fromGallery) find(`#gallery [data-id="${state.id}"]`)?.focus(); }); // the card last looked at
  dialog.addEventListener("keydown", (event) => {
    if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft") step(-1);
    if (event.key === "ArrowRight" || (event.key === "Enter" && event.target === dialog)) step(1);
    if (/^[1-9]$/.test(event.key)) find(`.guess button:nth-child(${event.key})`, dialog)?.click();
  });
}

export async function openDetail(app, results, id, order, learn) {
  const fromGallery = find("#detail").open ? state.fromGallery : Boolean(document.activeElement.closest("#gallery"));
  state = { app, results, order, learn, id, fromGallery };
  let contact;
  try {
    contact = await get(`/v1/sessions/${app.session.session}/contacts/${id}/explain`);
  } catch (error) {
    notify(error.message, true);
    return;
  }
  if (state.id !== id) return; // another one was opened meanwhile
  show(contact);
}

function step(by) {
  const place = state.order.indexOf(state.id) + by;
  if (place >= 0 && place < state.order.length) openDetail(state.app, state.results, state.order[place], state.order, state.learn);
}

function show(contact) {
  const dialog = find("#detail");
  const { app, order, learn } = state;
  const place = order.indexOf(contact.id);
  const input = make("input", { list: "classes", maxlength: "100", autocomplete: "off", id: "detail-label" });
  const head = make("div", { class: "detail-head" },
    make("h2", { id: "detail-title", title: contact.name }, contact.name),
    make("button", { type: "button", class: "quiet", "aria-label": "Previous", disabled: place <= 0, onclick: () => step(-1) }, "‹"),
    make("button", { type: "button", class: "quiet", "aria-label": "Next", disabled: place >= order.length - 1, onclick: () => step(1) }, "›"),
    make("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, "✕"));
  const facts = [["Answer", `${contact.label} (${percent(contact.probability)})`], ["Second choice", contact.second_choice || "–"], ["Reliability", contact.reliability === null ? "–" : `${percent(contact.reliability)}, at least ${percent(contact.reliability_lower)}`]];
  if (contact.press !== null) facts.push(["Its press as a whole", contact.press]);
  if (contact.truth !== null) facts.push(["Known label", contact.truth === contact.label ? `${contact.truth} ✓` : `${contact.truth} ✗`]);
  const words = app.info.words;
  facts[2][0] = word(words, "reliability", "Reliability");
  facts.push([word(words, "gate", "Gate"), gate(contact)], [word(words, "ambiguity", "Ambiguity"), contact.ambiguity.toFixed(2)], [word(words, "disagreement", "Disagreement"), contact.disagreement.toFixed(2)]);
  const give = (label) => { dialog.close(); learn(contact.id, label); };
  const likely = best(contact, MOST).map((i, place) => make("button", { type: "button", class: place < 2 ? "likely" : "quiet", onclick: () => give(contact.classes[i]) }, make("kbd", { "aria-hidden": "true" }, String(place + 1)), make("span", {}, contact.classes[i])));
  const form = make("form", { class: "row", onsubmit: (event) => {
    event.preventDefault();
    const label = input.value.trim();
    if (label) give(label);
  } }, make("label", {}, "It is ", input), make("button", { class: "primary", type: "submit" }, "Label and adapt"));
  const body = make("div", { class: "detail-body" },
    make("div", { class: "facts" }, enlargeable(app.session.session, contact, "New contact", true),
      make("div", {}, make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", { class: "num" }, value)])),
        make("div", { class: "guess", role: "group", "aria-label": "What is it?" }, ...likely), form,
        make("p", { class: "note" }, "Keys: 1–9 an object, ← → or Enter the next contact."))),
    distribution(contact),
    make("div", { class: "hoods" }, ...contact.neighbours.map((list, v) => hood(`Neighbours in readout ${v + 1}`, list)), ...contact.labelled.map((list, v) => hood(`Nearest labelled, readout ${v + 1}`, list))));
  fill(dialog, head, body);
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function gate(contact) {
  if (!contact.joint) return "closed: too few contacts to ask neighbours";
  const share = (contact.gate - contact.r_min) / Math.max(1e-9, contact.r_max - contact.r_min);
  const words = share > 0.66 ? "listens much to its neighbours" : share > 0.33 ? "listens to its neighbours" : "trusts its own readouts more";
  return `${contact.gate.toFixed(3)} of ${contact.r_min}–${contact.r_max}: ${words}`;
}

const best = (contact, most) => contact.classes.map((_, i) => i).sort((a, b) => contact.final[b] - contact.final[a] || contact.anchor[b] - contact.anchor[a]).slice(0, most);

function distribution(contact) {
  const order = best(contact, TOP), words = state.app.info.words;
  const cell = (value, kind = "") => {
    const bar = make("i");
    bar.style.width = `${100 * value}%`;
    return make("td", { class: kind }, make("div", {}, bar), make("span", {}, percent(value, 1)));
  };
  const rows = order.map((i) => make("tr", {}, make("td", {}, contact.classes[i]), ...contact.views.map((view) => cell(view[i], "view")), cell(contact.anchor[i]), cell(contact.final[i], "final")));
  const names = ["Object", ...contact.views.map((_, v) => word(words, "readout", `Readout ${v + 1}`)), word(words, "anchor", "Anchor"), "Final"];
  return make("table", { class: "dist" }, make("thead", {}, make("tr", {}, ...names.map((name, i) => make("th", { scope: "col", class: i && i <= contact.views.length ? "view" : null }, name)))), make("tbody", {}, ...rows));
}

// A neighbour says whether it is labelled or new; a new one whose object is known, whether its answer is right.
function hood(title, list) {
  const session = state.app.session.session;
  const answers = new Map(state.results.rows.map((row) => [row.id, row.label]));
  const tiles = list.map((near) => {
    const answer = near.label ?? answers.get(near.id) ?? "", fresh = near.label === null;
    const right = fresh && near.truth !== null ? answer === near.truth : null;
    const verdict = right === null ? null : make("span", { class: right ? "right" : "wrong" }, right ? " ✓" : ` → ${near.truth}`);
    const parts = [picture(session, near.id), make("small", {}, answer, verdict),
      make("small", {}, make("span", { class: fresh ? "badge" : "badge labelled" }, fresh ? "new" : "labelled"), make("span", { class: "num" }, ` ${near.value.toFixed(2)}`))];
    const open = fresh ? () => openDetail(state.app, state.results, near.id, state.order, state.learn) : () => enlarge(session, near, `Labelled ${near.label}`);
    return make("li", {}, make("button", { type: "button", title: near.name, onclick: open }, ...parts));
  });
  return make("section", { class: "hood" }, make("h3", {}, title), make("ul", {}, ...tiles));
}
