// The start page: what this is, three ways in, and the sessions there are.

import { ask, get, post } from "./api.js";
import { count, fill, find, make, notify, options, percent } from "./dom.js";

let app;

export function start(shared) {
  app = shared;
  find("#new-form").addEventListener("submit", (event) => { event.preventDefault(); begin(find("#new-title").value); });
  find("#live-form").addEventListener("submit", (event) => { event.preventDefault(); app.openCamera = true; begin("camera"); });
  find("#example-form").addEventListener("submit", example);
  const able = Boolean(navigator.mediaDevices?.getUserMedia);
  find("#live-form button").disabled = !able;
  find("#live-none").hidden = able;
}

async function begin(title) {
  try {
    const { session } = await post("/v1/sessions", { title });
    find("#new-title").value = "";
    location.hash = `${session}/contacts`;
  } catch (error) {
    app.openCamera = false;
    notify(error.message, true);
  }
}

export async function show() {
  options(find("#example-sensor"), app.info.example_sensors.map((name) => [name, name]), find("#example-sensor").value || "Hex");
  const sessions = await get("/v1/sessions");
  find("#recent").hidden = !sessions.length;
  fill(find("#recent-list"), ...sessions.slice(0, 30).map(entry));
}

function entry(row) {
  const open = make("button", { type: "button", class: "open", disabled: !row.usable, onclick: () => { location.hash = `${row.id}/${row.labelled ? "results" : "contacts"}`; } },
    make("span", { class: "name" }, row.title), make("span", { class: "figures" }, figures(row)),
    make("span", { class: "when" }, row.usable ? new Date(1000 * row.used).toLocaleString() : "made with another encoder"));
  const rename = make("button", { type: "button", class: "quiet", "aria-label": `Rename ${row.title}`, onclick: () => renaming(item, row) }, "Rename");
  const remove = make("button", { type: "button", class: "quiet", "aria-label": `Delete ${row.title}`, onclick: async () => {
    if (!confirm(`Delete “${row.title}” with all its contacts?`)) return;
    await ask("DELETE", `/v1/sessions/${row.id}`).catch((error) => notify(error.message, true));
    await show();
  } }, "Delete");
  const item = make("li", {}, open, rename, remove);
  return item;
}

// "128 labels, 320 new, 92.5 % right (held-out)"
function figures(row) {
  const parts = [count(row.labelled, "label"), `${row.new.toLocaleString("en")} new`];
  if (row.accuracy !== null) parts.push(`${percent(row.accuracy, 1)} right (held-out${row.simulated ? ", simulated" : ""})`);
  else if (row.hidden_accuracy !== null) parts.push(`${percent(row.hidden_accuracy, 1)} right (hidden in turn)`);
  return parts.join(", ");
}

function renaming(item, row) {
  const input = make("input", { maxlength: "80", required: "", "aria-label": "New name" });
  input.value = row.title;
  input.addEventListener("keydown", (event) => { if (event.key === "Escape") show(); });
  fill(item, make("form", { class: "row", onsubmit: async (event) => {
    event.preventDefault();
    await ask("PATCH", `/v1/sessions/${row.id}`, { title: input.value.trim() || row.title }).catch((error) => notify(error.message, true));
    await show();
  } }, input, make("button", { class: "primary", type: "submit" }, "Save"), make("button", { type: "button", class: "quiet", onclick: show }, "Cancel")));
  input.select();
}

async function example(event) {
  event.preventDefault();
  const shown = find("#example-progress"), button = find("#example-form button");
  button.disabled = true;
  try {
    let job = await post("/v1/example", { sensor: find("#example-sensor").value });
    shown.hidden = false;
    while (!job.session && !job.error) {
      find("progress", shown).value = job.done / job.total;
      find("span", shown).textContent = `${job.doing} (${job.done} of ${job.total} steps)`;
      await new Promise((resolve) => { setTimeout(resolve, 250); });
      job = await get(`/v1/jobs/${job.id}`);
    }
    if (job.error) throw new Error(job.error);
    location.hash = `${job.session}/results`;
  } catch (error) {
    notify(error.message, true);
  } finally {
    shown.hidden = true;
    button.disabled = false;
  }
}
