// The page: which session, which step, light or dark.

import { get, post, Problem } from "./api.js";
import * as camera from "./camera.js";
import * as contacts from "./contacts.js";
import * as desk from "./desk.js";
import * as detail from "./detail.js";
import { fill, find, lookAt, make, notify } from "./dom.js";
import * as exports from "./export.js";
import * as edits from "./history.js";
import * as live from "./live.js";
import * as quantities from "./quantities.js";
import * as results from "./results.js";
import * as start from "./start.js";

const STEPS = ["contacts", "results", "export", "live"];
const THEMES = { auto: "as the system", light: "light", dark: "dark" };

const app = {
  info: null,
  session: null,
  classes: () => [...new Set(app.session.contacts.map((contact) => contact.label).filter((label) => label !== null))].sort(),
  // Read the session again and draw what depends on it; false where it was left while an edit was on its way.
  async refresh() {
    const id = app.session?.session, now = id ? await get(`/v1/sessions/${id}`) : null;
    if (!now || app.session?.session !== id) return false;
    app.session = now;
    draw();
    return true;
  },
  // After an edit: the session, and the results where they are looked at.
  async changed() {
    if (!(await app.refresh())) return;
    if (!find("#results").hidden) await results.load();
    if (!find("#export").hidden) await exports.show(app);
    live.afresh();
  },
  show: (step) => { location.hash = `${app.session.session}/${step}`; },
};

function draw() {
  fill(find("#classes"), ...app.classes().map((value) => make("option", { value })));
  contacts.show();
  quantities.status();
  edits.show();
}

// Another tab, or a robot, may have changed the session meanwhile.
async function outdated() {
  const held = app.session;
  if (!held) return;
  const now = await get(`/v1/sessions/${held.session}`);
  if (app.session === held && JSON.stringify(now.contacts) !== JSON.stringify(held.contacts)) await app.changed();
}

function section(name) {
  for (const id of ["login", "start", "session"]) find(`#${id}`).hidden = id !== name;
  const inside = name === "session";
  find("#title").hidden = !inside;
  find("#encoder").hidden = !inside;
  document.title = inside ? `${app.session.title} – bideta studio` : "bideta studio";
}

async function route() {
  for (const dialog of document.querySelectorAll("dialog")) dialog.close(); // "back" leaves none behind on another page
  camera.close();
  live.stop();
  notify("");
  const token = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (token) { history.replaceState(null, "", "/"); await login(decodeURIComponent(token)); return; }
  const [id, step = "contacts"] = location.hash.slice(1).split("/");
  unknown(null);
  try {
    if (!id) await home();
    else if (!/^[0-9a-f]{32}$/.test(id)) throw new Problem(404, "there is no such session");
    else await enter(id, STEPS.includes(step) ? step : "contacts");
  } catch (error) {
    if (error.status === 401) { section("login"); find("#token").focus(); return; }
    if (id) { history.replaceState(null, "", "/"); await home().catch(() => {}); }
    if (error.status === 404) unknown(id); else notify(error.message, true);
  }
}

function unknown(id) {
  find("#unknown").hidden = id === null;
  find("#unknown").textContent = `There is no session ${id?.slice(0, 40)} here. It was deleted or has expired, or the address belongs to another studio. The sessions that are here stand below.`;
}

async function home() {
  app.session = null;
  app.info ??= await get("/v1/info");
  section("start");
  await start.show();
}

async function enter(id, step) {
  app.info ??= await get("/v1/info");
  // Until it is read, the page belongs to what was open before, and so does what is dropped on it.
  const from = location.hash, before = app.session, now = await get(`/v1/sessions/${id}`);
  if (location.hash !== from) return; // left again meanwhile
  if (before?.session !== id) { contacts.forget(); quantities.forget(); }
  if (app.session === before || app.session.session !== id) app.session = now; // else an edit has read it later
  draw();
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
  find("#looks").hidden = step === "export" || step === "live"; // no picture of a contact there
  find("#looks-note").textContent = app.session.background ? "" : "The difference is taken to the median of all contacts: no picture of the untouched sensor is known.";
  if (step === "results") await results.load();
  if (step === "export") await exports.show(app);
  if (app.openCamera) { app.openCamera = false; await contacts.camera(); }
  if (step === "live") live.show();
}

// How pictures of contacts are shown, everywhere on the page.
function look(name) {
  for (const button of document.querySelectorAll("#looks [data-look]")) button.setAttribute("aria-pressed", String(button.dataset.look === name));
  lookAt(name);
  keep("look", name);
}

function theme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  find("#theme").setAttribute("aria-label", `Colours: ${THEMES[name]}`);
  find("#theme").title = `Colours: ${THEMES[name]}`;
  keep("theme", name);
}

function keep(what, name) {
  try { localStorage.setItem(what, name); } catch { /* private windows may refuse */ }
}

function remembered(what) {
  try { return localStorage.getItem(what); } catch { return null; }
}

async function begin() {
  const names = Object.keys(THEMES);
  let chosen = names.includes(remembered("theme")) ? remembered("theme") : "auto";
  theme(chosen);
  find("#theme").addEventListener("click", () => { chosen = names[(names.indexOf(chosen) + 1) % names.length]; theme(chosen); });
  const looks = [...document.querySelectorAll("#looks [data-look]")];
  for (const button of looks) button.addEventListener("click", () => look(button.dataset.look));
  look(looks.some(({ dataset }) => dataset.look === remembered("look")) ? remembered("look") : "picture");
  start.start(app);
  contacts.start(app);
  edits.start(app);
  results.start(app);
  detail.start();
  quantities.start(app);
  live.start(app);
  camera.start();
  find("#home").addEventListener("click", () => { if (location.hash) location.hash = ""; else route(); });
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
  window.addEventListener("focus", outdated);
  window.addEventListener("beforeunload", (event) => { if (desk.waiting() || !find("#upload").hidden) event.preventDefault(); }); // labels or pictures on their way
  window.addEventListener("unhandledrejection", (event) => {
    if (!(event.reason instanceof Problem)) return;
    event.preventDefault();
    if ([401, 404].includes(event.reason.status)) route(); else notify(event.reason.message, true); // the session or the login is gone
  });
  await route();
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
