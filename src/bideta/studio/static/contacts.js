// Step 1: drop, choose or grab contacts; label them; adapt.

import { ask, post, upload } from "./api.js";
import { openCamera, openVideo } from "./camera.js";
import { count, fill, find, make, notify, options, picture } from "./dom.js";
import { chosen, dropped, folderOf, isImage, pressOf, VIDEO } from "./files.js";

const SHOWN = 60; // pictures in a list before "and n more"
const PRIORS = { auto: "auto: estimated from the new contacts", support: "support: as the labelled contacts", none: "none: any proportion", mixed: "mixed: half way between auto and support" };
let app;
let pending = null; // files that wait for a label
const selected = new Set();

export function start(shared) {
  app = shared;
  for (const zone of document.querySelectorAll(".zone")) listen(zone);
  for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());
  find("#adapt").addEventListener("click", adapt);
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
    const label = find(".ask-label", form).value.trim();
    if (!label || !pending) return;
    const items = pending.map((item) => ({ ...item, label }));
    pending = null;
    form.hidden = true;
    await send(items);
  });
  find(".ask-cancel", zone)?.addEventListener("click", () => { pending = null; form.hidden = true; });
}

// Files → uploads. Labelled ones take their folder's name; loose ones are asked for.
async function take(kind, found) {
  const videos = found.filter(({ file }) => VIDEO.test(file.name));
  if (videos.length) openVideo(videos[0].file, grabbed);
  const images = found.filter(({ file }) => isImage(file));
  const others = found.filter(({ file }) => !isImage(file) && !VIDEO.test(file.name));
  const rejected = others.map(({ path }) => ({ name: path, error: `cannot read ${path}: not a PNG, JPEG, BMP, TIFF or WEBP image` }));
  if (!found.length) rejected.push({ name: "", error: "nothing to read: the folder holds no visible files" });
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
  shown.hidden = false;
  find("#adapt").disabled = true;
  try {
    const { added, rejected } = await upload(session, items, app.info, (done, total) => {
      bar.max = total;
      bar.value = done;
      find("#upload-text").textContent = `${done} of ${count(total, "file")} read and encoded`;
    });
    problems([...earlier, ...rejected]);
    if (added.length) notify(`${count(added.length, "contact")} added`);
  } catch (error) {
    notify(error.message, true);
  } finally {
    shown.hidden = true;
  }
  await app.refresh();
}

function problems(rejected) {
  const place = find("#problems");
  place.hidden = !rejected.length;
  if (!rejected.length) return;
  find("summary", place).textContent = `${count(rejected.length, "file")} could not be used`;
  fill(find("ul", place), ...rejected.map(({ error }) => make("li", {}, error)));
  place.open = true;
}

export async function adapt() {
  const button = find("#adapt");
  button.disabled = true;
  button.textContent = "Adapting …";
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
  if (!objects) return "Add labelled contacts first.";
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
    type: "button", title: `${contact.name}: take the label away`, "aria-label": `Take the label ${name} away from ${contact.name}`,
    onclick: () => relabel([contact.id], null),
  }, picture(session, contact.id)));
  const rest = contacts.length - pictures.length;
  return make("article", { class: "class" },
    make("h3", {}, make("span", { title: name }, name), make("span", { class: "muted num" }, String(contacts.length))),
    make("div", { class: "strip" }, ...pictures, rest > 0 ? make("span", { class: "rest" }, `and ${rest} more`) : null));
}

function unlabelled(queries) {
  const session = app.session.session;
  const input = make("input", { list: "classes", maxlength: "100", autocomplete: "off", id: "bulk-label" });
  const apply = make("button", { type: "submit" }, "Label");
  const remove = make("button", { type: "button", class: "quiet", onclick: removeSelected }, "Remove");
  const form = make("form", { class: "row", onsubmit: (event) => { event.preventDefault(); if (input.value.trim()) relabel([...selected], input.value.trim()); } },
    make("label", {}, "Selected are ", input), apply, remove);
  const update = () => { form.hidden = !selected.size; };
  update();
  const tiles = queries.slice(0, SHOWN).map((contact) => {
    const tile = make("button", { type: "button", "aria-pressed": String(selected.has(contact.id)), title: contact.name, "aria-label": `Select ${contact.name}` }, picture(session, contact.id));
    tile.addEventListener("click", () => {
      if (!selected.delete(contact.id)) selected.add(contact.id);
      tile.setAttribute("aria-pressed", String(selected.has(contact.id)));
      update();
    });
    return tile;
  });
  const rest = queries.length - tiles.length;
  return make("div", { class: "group" },
    make("div", { class: "row" }, make("h2", {}, "New"), make("span", { class: "muted" }, `${count(queries.length, "contact")}; select some to label them here`)),
    form,
    make("div", { class: "strip big" }, ...tiles, rest > 0 ? make("span", { class: "rest" }, `and ${rest} more`) : null));
}

async function relabel(ids, label) {
  try {
    for (const id of ids) await ask("PATCH", `/v1/sessions/${app.session.session}/contacts/${id}`, { label });
  } catch (error) {
    notify(error.message, true);
  }
  selected.clear();
  await app.refresh();
}

async function removeSelected() {
  try {
    for (const id of selected) await ask("DELETE", `/v1/sessions/${app.session.session}/contacts/${id}`);
  } catch (error) {
    notify(error.message, true);
  }
  selected.clear();
  await app.refresh();
}
