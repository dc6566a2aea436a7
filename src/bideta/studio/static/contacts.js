// Step 1: drop, choose or grab contacts; label them; adapt.

import { ask, post, upload } from "./api.js";
import { openCamera, openVideo } from "./camera.js";
import { count, fill, find, make, notify, options, picture } from "./dom.js";
import { enlarge as enlarged } from "./enlarged.js";
import { chosen, dropped, folderOf, homesOf, isImage, pressOf, VIDEO } from "./files.js";
import * as edits from "./history.js";
import { showList } from "./long_list.js";
import * as quantities from "./quantities.js";
import { confirmed } from "./spelling.js";

const PRIORS = { relaxed: "relaxed: as the labelled contacts, where the new ones allow it", auto: "auto: estimated from the new contacts", support: "support: as the labelled contacts", none: "none: any proportion", mixed: "mixed: half way between auto and support" };
let app;
let pending = null; // files that wait for a label
const selected = new Set();

// Another session: nothing that was begun in the last one goes into it.
export function forget() {
  pending = null;
  selected.clear();
  find("#problems").hidden = true;
  find("#zone-labelled .ask").hidden = true;
}

export function start(shared) {
  app = shared;
  for (const zone of document.querySelectorAll(".zone")) listen(zone);
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
  find("#adapt").addEventListener("click", adapt);
  find("#cold button").addEventListener("click", () => { app.focusDesk = true; app.show("results"); });
  find("#preset").addEventListener("change", (event) => { find("#prior").value = app.info.preset_priors[event.target.value]; });
  find("#problems button").addEventListener("click", () => { find("#problems").hidden = true; });
}

function listen(zone) {
  const kind = zone.dataset.kind;
  zone.addEventListener("dragover", (event) => { event.preventDefault(); zone.classList.add("over"); });
  zone.addEventListener("dragleave", (event) => { if (!zone.contains(event.relatedTarget)) zone.classList.remove("over"); });
  zone.addEventListener("drop", async (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    await take(kind, await dropped(event.dataTransfer));
  });
  for (const input of zone.querySelectorAll("input[data-pick]")) {
    input.addEventListener("change", async () => {
      const found = chosen(input);
      input.value = "";
      await take(kind, found);
    });
  }
  const camera = find("[data-camera]", zone);
  camera.hidden = !navigator.mediaDevices?.getUserMedia;
  camera.addEventListener("click", () => openCamera(grabbed));
  const form = find(".ask", zone);
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const typed = find(".ask-label", form).value.trim();
    const label = typed && pending ? await confirmed(typed, app.classes()) : null;
    if (!label || !pending) return;
    const items = pending.map((item) => ({ ...item, label }));
    pending = null;
    form.hidden = true;
    await send(items);
  });
  find(".ask-cancel", zone)?.addEventListener("click", () => { pending = null; form.hidden = true; });
}

// Files → uploads, then tables of quantities, which name the pictures.
async function take(kind, all) {
  const measuring = all.filter(({ file }) => quantities.kindOf(file));
  const found = all.filter((item) => !measuring.includes(item));
  if (found.length || !measuring.length) await takePictures(kind, found);
  for (const { file } of measuring) await quantities.give(quantities.kindOf(file), file);
}

// Labelled ones take their folder's name; loose ones are asked for.
async function takePictures(kind, found) {
  const videos = found.filter(({ file }) => VIDEO.test(file.name));
  if (videos.length) openVideo(videos[0].file, grabbed);
  const images = found.filter(({ file }) => isImage(file));
  const others = found.filter(({ file }) => !isImage(file) && !VIDEO.test(file.name));
  const rejected = others.map(({ path }) => ({ name: path, error: `cannot read ${path}: not a PNG, JPEG, BMP, TIFF or WEBP image` }));
  if (!found.length) rejected.push({ name: "", error: "nothing to read: the folder holds no visible files" });
  const homes = homesOf(images.map(({ path }) => path));
  if (kind === "labelled" && homes.length > 1) {
    problems([...rejected, { name: homes[0], error: `nothing was added: the folders of objects lie in ${homes.join(" and ")}. One folder holds labelled contacts; drop it alone${homes.some((home) => /support|labelled/i.test(home)) ? `: ${homes.find((home) => /support|labelled/i.test(home))}` : ""}` }]);
    return;
  }
  const known = new Set(app.classes());
  const folders = new Set(images.map(({ path }) => folderOf(path)));
  const items = images.map(({ file, path }) => {
    const folder = folderOf(path);
    const tells = folder && (known.has(folder) || folders.size > 1);
    return { file, name: path, label: kind === "labelled" ? folder : null, truth: kind === "unlabelled" && tells ? folder : null, press: pressOf(path) };
  });
  const loose = items.filter((item) => kind === "labelled" && !item.label);
  const ready = items.filter((item) => !loose.includes(item));
  if (loose.length) {
    pending = loose;
    const form = find("#zone-labelled .ask");
    find(".ask-text", form).textContent = `Which object do ${loose.length === 1 ? "this file" : `these ${loose.length} files`} show?`;
    form.hidden = false;
    find(".ask-label", form).value = "";
    find(".ask-label", form).focus();
  }
  problems(rejected);
  if (ready.length) await send(ready, rejected);
}

async function grabbed(blob, label, number) {
  await send([{ file: new File([blob], `frame-${String(number).padStart(4, "0")}.png`, { type: "image/png" }), name: `frame-${number}.png`, label: label || null, truth: null }]);
}

async function send(items, earlier = []) {
  const bar = find("#upload-bar");
  const shown = find("#upload");
  const session = app.session.session;
  const began = performance.now();
  shown.hidden = false;
  find("#adapt").disabled = true;
  try {
    const { added, rejected } = await upload(session, items, app.info, (done, total) => {
      bar.max = total;
      bar.value = done;
      const left = done ? Math.ceil(((performance.now() - began) / 1000 / done) * (total - done)) : 0;
      find("#upload-text").textContent = `${done.toLocaleString("en")} of ${count(total, "file")} read and encoded${left > 2 ? `; about ${left} s left` : ""}`;
    });
    problems([...earlier, ...rejected]);
    if (added.length) {
      const text = `${count(added.length, "contact")} added`, ids = added.map(({ id }) => id);
      edits.remember(text, async () => { for (const id of ids) await ask("DELETE", edits.contact(id)); }, session);
      notify(text);
    }
  } catch (error) {
    notify(error.message, true);
  } finally {
    shown.hidden = true;
  }
  await app.refresh();
  if (!find("#cold").hidden) find("#cold button").focus();
}

function problems(rejected) {
  const place = find("#problems");
  place.hidden = !rejected.length;
  if (!rejected.length) return;
  find("summary", place).textContent = `${count(rejected.length, "file")} not added`;
  fill(find("ul", place), ...rejected.map(({ error }) => make("li", {}, error)));
  place.open = true;
}

export const camera = () => openCamera(grabbed);

export async function adapt() {
  const button = find("#adapt");
  button.disabled = true;
  button.textContent = `Adapting to ${count(app.session.contacts.filter(({ label }) => label !== null).length, "label")} …`;
  try {
    await post("/v1/adapt", { session: app.session.session, preset: find("#preset").value, prior: find("#prior").value });
    await app.refresh();
    app.show("results");
  } catch (error) {
    notify(error.message, true);
  } finally {
    button.textContent = "Adapt";
    show();
  }
}

export function show() {
  const session = app.session;
  const labelled = session.contacts.filter((contact) => contact.label !== null);
  const queries = session.contacts.filter((contact) => contact.label === null);
  const classes = Map.groupBy ? Map.groupBy(labelled, (c) => c.label) : grouped(labelled);
  const names = [...classes.keys()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  options(find("#preset"), app.info.presets.map((name) => [name, name]), session.preset);
  options(find("#prior"), app.info.priors.map((name) => [name, PRIORS[name] ?? name]), session.prior);
  find("#adapt").disabled = !names.length;
  find("#cold").hidden = Boolean(names.length) || !queries.length;
  find("#cold button").textContent = queries.length < 10 ? "Label them here" : "Label these ten first";
  find("#cold-count").textContent = count(queries.length, "new contact");
  find("#adapt-hint").textContent = hint(names.length, labelled.length, queries.length);
  fill(find("#labelled-list"), names.length ? make("div", { class: "group" },
    make("div", { class: "row" }, make("h2", {}, "Labelled"), make("span", { class: "muted" }, `${count(labelled.length, "contact")}${ofPresses(labelled)}, ${count(names.length, "object")}`)),
    make("div", { class: "classes" }, ...names.map((name) => one(name, classes.get(name))))) : null);
  for (const id of [...selected]) if (!queries.some((contact) => contact.id === id)) selected.delete(id);
  fill(find("#unlabelled-list"), queries.length ? unlabelled(queries) : null);
}

// " of 8 presses" where some are frames of the same one.
function ofPresses(labelled) {
  const presses = new Set(labelled.map(({ id, label, press }) => (press === null ? id : `${label}/${press}`)));
  return presses.size < labelled.length ? ` of ${count(presses.size, "press", "presses")}` : "";
}

function hint(objects, labelled, queries) {
  if (!objects) return queries ? "Label some first, or add labelled contacts." : "Add labelled contacts first.";
  if (objects === 1) return "One object only: every answer will be this one. Add another.";
  if (!queries) return "Add new contacts to see answers.";
  if (queries < objects && app.session.prior === "support") return `${count(queries, "new contact")} for ${objects} objects: too few to be answered jointly.`;
  return `${count(labelled, "label")} for ${objects} objects, ${count(queries, "new contact")}`;
}

function grouped(contacts) {
  const groups = new Map();
  for (const contact of contacts) groups.set(contact.label, [...(groups.get(contact.label) ?? []), contact]);
  return groups;
}

function one(name, contacts) {
  const session = app.session.session;
  const pictures = contacts.slice(0, 12).map((contact) => make("button", {
    type: "button", title: contact.name, "aria-label": `Enlarge ${contact.name}`, onclick: () => enlarge(contact),
  }, picture(session, contact.id)));
  const rest = contacts.length - pictures.length;
  return make("article", { class: "class" },
    make("h3", {}, make("span", { title: name }, name), make("span", { class: "muted num" }, String(contacts.length))),
    make("div", { class: "strip" }, ...pictures, rest > 0 ? make("button", { type: "button", class: "rest", "aria-label": `All of ${name}`, onclick: () => all(name, contacts) }, `and ${rest.toLocaleString("en")} more`) : null));
}

// Every contact of an object, in a dialog.
function all(name, contacts) {
  const dialog = find("#everyone"), list = make("div", { class: "strip big" });
  fill(dialog, make("div", { class: "detail-head" }, make("h2", { id: "everyone-title" }, `${name}: ${count(contacts.length, "contact")}`),
    make("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, "✕")), make("div", { class: "detail-body" }, list));
  dialog.showModal();
  showList(list, contacts, (contact) => make("button", { type: "button", title: contact.name, "aria-label": `Enlarge ${contact.name}`, onclick: () => { dialog.close(); enlarge(contact); } }, picture(app.session.session, contact.id)));
}

function unlabelled(queries) {
  const session = app.session.session;
  const input = make("input", { list: "classes", maxlength: "100", autocomplete: "off", id: "bulk-label" });
  const apply = make("button", { type: "submit" }, "Label");
  const remove = make("button", { type: "button", class: "quiet", onclick: removeSelected }, "Remove");
  const form = make("form", { class: "row", onsubmit: async (event) => { event.preventDefault(); const ids = [...selected], typed = input.value.trim(); const label = typed ? await confirmed(typed, app.classes()) : null; if (label) await relabel(ids, label); } },
    make("label", {}, "Selected are ", input), apply, remove);
  const update = () => { form.hidden = !selected.size; };
  update();
  const tile = (contact) => {
    const tick = make("button", { type: "button", class: "tick", "aria-pressed": String(selected.has(contact.id)), title: contact.name, "aria-label": `Select ${contact.name}` }, "✓");
    tick.addEventListener("click", () => {
      if (!selected.delete(contact.id)) selected.add(contact.id);
      tick.setAttribute("aria-pressed", String(selected.has(contact.id)));
      update();
    });
    return make("span", { class: "choosable" }, make("button", { type: "button", title: contact.name, "aria-label": `Enlarge ${contact.name}`, onclick: () => enlarge(contact) }, picture(session, contact.id)), tick);
  };
  const tiles = make("div", { class: "strip big" });
  showList(tiles, queries, tile);
  return make("div", { class: "group" },
    make("div", { class: "row" }, make("h2", {}, "New"), make("span", { class: "muted" }, `${count(queries.length, "contact")}; select some to label them here`)),
    form,
    tiles);
}

// The picture large, with what can be done to the contact; a click on a picture never changes anything.
function enlarge(contact) {
  const remove = ["Remove", () => discard([contact.id])], unlabel = ["Take the label away", () => relabel([contact.id], null)];
  if (contact.label === null) enlarged(app.session.session, contact, "New contact", [remove]);
  else enlarged(app.session.session, contact, `Labelled ${contact.label}`, [unlabel, remove]);
}

async function relabel(ids, label) {
  const which = count(ids.length, "contact");
  await edit(() => edits.relabel(ids, label, label === null ? `label of ${which} taken away` : `${which} labelled ${label}`));
}

const removeSelected = () => discard([...selected]);

const discard = (ids) => edit(() => edits.remove(ids, `${count(ids.length, "contact")} removed`));

async function edit(work) {
  try {
    await work();
  } catch (error) {
    notify(error.message, true);
  }
  selected.clear();
  await app.changed();
}
