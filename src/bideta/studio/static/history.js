// Undo: every edit leaves behind how to take it back; ctrl-Z and a button take back the last one.

import { ask } from "./api.js";
import { find, notify } from "./dom.js";

let app;
let done = []; // {session, text, back}: what was done, and a function that takes it back
let busy = false;

export function start(shared) {
  app = shared;
  find("#undo").addEventListener("click", undo);
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.key.toLowerCase() !== "z") return;
    if (event.target.matches("input, textarea") && event.target.value) return; // there it takes back letters
    event.preventDefault();
    undo();
  });
}

export const contact = (id) => `/v1/sessions/${app.session.session}/contacts/${id}`;

export function remember(text, back, session = app.session.session) {
  done.push({ session, text, back });
  show();
}

export function show() {
  done = done.filter(({ session }) => session === app.session?.session); // another session has its own edits
  const button = find("#undo"), last = done.at(-1);
  button.hidden = !last;
  button.textContent = last ? `Undo: ${last.text}` : "";
}

export async function undo() {
  if (busy || !done.length) return;
  busy = true;
  const last = done.pop();
  notify(`Taking back: ${last.text} …`);
  try {
    await last.back();
    notify(`Taken back: ${last.text}.`);
  } catch (error) {
    notify(error.message, true);
  } finally {
    busy = false;
  }
  await app.changed();
  show();
}

// Give contacts a label (null takes it away); undone, each has the one it had.
export async function relabel(ids, label, text) {
  const before = app.session.contacts.filter(({ id }) => ids.includes(id)).map(({ id, label: old }) => [id, old]);
  const back = async () => { for (const [id, old] of before) await ask("PATCH", contact(id), { label: old }); };
  remember(text, back);
  for (const [id] of before) await ask("PATCH", contact(id), { label });
}

export async function remove(ids, text) {
  const before = app.session.contacts.filter(({ id }) => ids.includes(id)).map(({ id, label }) => [id, label]);
  const gone = [];
  remember(text, async () => { for (const [id, label] of gone) await ask("PUT", contact(id), { label }); });
  for (const one of before) { await ask("DELETE", contact(one[0])); gone.push(one); }
}
