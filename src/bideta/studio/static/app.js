// The page: which session, which step, light or dark.

import { ask, get, post } from "./api.js";
import * as camera from "./camera.js";
import * as contacts from "./contacts.js";
import * as detail from "./detail.js";
import { fill, find, make, notify, options } from "./dom.js";
import * as exports from "./export.js";
import * as edits from "./history.js";
import * as live from "./live.js";
import * as quantities from "./quantities.js";
import * as results from "./results.js";

const STEPS = ["contacts", "results", "export", "live"];
const THEMES = { auto: "as the system", light: "light", dark: "dark" };

const app = {
  info: null,
  session: null,
  classes: () => [...new Set(app.session.contacts.map((contact) => contact.label).filter((label) => label !== null))].sort(),
  // Read the session again and draw what depends on it.
  async refresh() {
    app.session = await get(`/v1/sessions/${app.session.session}`);
    fill(find("#classes"), ...app.classes().map((value) => make("option", { value })));
    contacts.show();
    quantities.status();
    edits.show();
  },
  // After an edit: the session, and the results where they are looked at.
  async changed() {
    await app.refresh();
    if (!find("#results").hidden) await results.load();
    if (!find("#export").hidden) await exports.show(app);
  },
  show: (step) => { location.hash = `${app.session.session}/${step}`; },
};

function section(name) {
  for (const id of ["login", "start", "session"]) find(`#${id}`).hidden = id !== name;
  const inside = name === "session";
  find("#title").hidden = !inside;
  find("#encoder").hidden = !inside;
  document.title = inside ? `${app.session.title} – bideta studio` : "bideta studio";
}

async function route() {
  find("#detail").close();
  camera.close();
  live.stop();
  notify("");
  const [id, step = "contacts"] = location.hash.slice(1).split("/");
  try {
    if (!/^[0-9a-f]{32}$/.test(id)) await home();
    else await enter(id, STEPS.includes(step) ? step : "contacts");
  } catch (error) {
    if (error.status === 401) { section("login"); find("#token").focus(); return; }
    notify(error.message, true);
    if (id) { history.replaceState(null, "", "/"); await home().catch(() => {}); }
  }
}

async function home() {
  app.session = null;
  app.info ??= await get("/v1/info");
  section("start");
  options(find("#example-sensor"), app.info.example_sensors.map((name) => [name, name]), find("#example-sensor").value || "Hex");
  const sessions = await get("/v1/sessions");
  find("#recent").hidden = !sessions.length;
  fill(find("#recent-list"), ...sessions.slice(0, 30).map((row) => make("li", {},
    make("button", { type: "button", disabled: !row.usable, onclick: () => { location.hash = `${row.id}/contacts`; } },
      make("span", { class: "name" }, row.title), make("span", { class: "when" }, row.usable ? new Date(1000 * row.used).toLocaleString() : "made with another encoder")),
    make("button", { type: "button", class: "quiet", "aria-label": `Delete ${row.title}`, onclick: async () => {
      if (!confirm(`Delete “${row.title}” with all its contacts?`)) return;
      await ask("DELETE", `/v1/sessions/${row.id}`).catch((error) => notify(error.message, true));
      await home();
    } }, "Delete"))));
}

async function enter(id, step) {
  app.info ??= await get("/v1/info");
  app.session = { session: id };
  await app.refresh();
  section("session");
  if (app.session.damaged.length) notify(app.session.damaged.join("\n"), true);
  find("#title").textContent = app.session.title;
  find("#encoder").textContent = `encoder ${app.session.encoder}`;
  for (const name of STEPS) {
    const tab = find(`#tab-${name}`);
    tab.setAttribute("aria-selected", String(name === step));
    tab.tabIndex = name === step ? 0 : -1;
    find(`#${name}`).hidden = name !== step;
  }
  if (step === "results") await results.load();
  if (step === "export") await exports.show(app);
  if (step === "live") live.show();
}

async function example(event) {
  event.preventDefault();
  const bar = find("#example-progress"), button = find("#example-form button");
  button.disabled = true;
  try {
    let job = await post("/v1/example", { sensor: find("#example-sensor").value });
    bar.hidden = false;
    while (!job.session && !job.error) {
      bar.value = job.done / job.total;
      await new Promise((resolve) => { setTimeout(resolve, 250); });
      job = await get(`/v1/jobs/${job.id}`);
    }
    if (job.error) throw new Error(job.error);
    location.hash = `${job.session}/results`;
  } catch (error) {
    notify(error.message, true);
  } finally {
    bar.hidden = true;
    button.disabled = false;
  }
}

function theme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  find("#theme").setAttribute("aria-label", `Colours: ${THEMES[name]}`);
  find("#theme").title = `Colours: ${THEMES[name]}`;
  try { localStorage.setItem("theme", name); } catch { /* private windows may refuse */ }
}

function remembered() {
  try { return localStorage.getItem("theme"); } catch { return null; }
}

async function begin() {
  const names = Object.keys(THEMES);
  let chosen = names.includes(remembered()) ? remembered() : "auto";
  theme(chosen);
  find("#theme").addEventListener("click", () => { chosen = names[(names.indexOf(chosen) + 1) % names.length]; theme(chosen); });
  contacts.start(app);
  edits.start(app);
  results.start(app);
  detail.start();
  quantities.start(app);
  live.start(app);
  camera.start();
  find("#home").addEventListener("click", () => { if (location.hash) location.hash = ""; else route(); });
  find("#new-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const { session } = await post("/v1/sessions", { title: find("#new-title").value });
      find("#new-title").value = "";
      location.hash = `${session}/contacts`;
    } catch (error) {
      notify(error.message, true);
    }
  });
  find("#example-form").addEventListener("submit", example);
  find("#login-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    await login(find("#token").value);
  });
  for (const name of STEPS) {
    const tab = find(`#tab-${name}`);
    tab.addEventListener("click", () => app.show(name));
    tab.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      const other = STEPS[(STEPS.indexOf(name) + by + STEPS.length) % STEPS.length];
      app.show(other);
      find(`#tab-${other}`).focus();
    });
  }
  window.addEventListener("hashchange", route);
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token) { history.replaceState(null, "", "/"); await login(decodeURIComponent(token)); } else await route();
}

async function login(token) {
  try {
    await post("/v1/login", { token });
    await route();
  } catch (error) {
    section("login");
    notify(error.message, true);
  }
}

begin();
