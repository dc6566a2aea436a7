// Talking to the server: errors as text, patience when it is busy or away.

import { find } from "./dom.js";

const RETRY = new Set([408, 429, 503]);
const pause = (seconds) => new Promise((resolve) => { setTimeout(resolve, 1000 * seconds); });

export class Problem extends Error {
  constructor(status, text) { super(text); this.status = status; }
}

// Requests are repeated after a lost connection: all of them may be (uploads carry a key).
export async function ask(method, path, body = undefined) {
  const options = { method, headers: {} };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) { options.body = JSON.stringify(body); options.headers["content-type"] = "application/json"; }
  for (;;) {
    let response;
    try {
      response = await fetch(path, options);
    } catch {
      await back();
      continue;
    }
    find("#offline").hidden = true;
    if (RETRY.has(response.status)) {
      await pause(Math.min(10, Number(response.headers.get("retry-after")) || 1));
      continue;
    }
    if (response.status === 204) return null;
    const answer = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
    if (!response.ok) throw new Problem(response.status, answer.error ?? `the server answered ${response.status}`);
    return answer;
  }
}

// Wait until the server answers again. One waiter asks, all others wait with it.
let waiting = null;
function back() {
  waiting ??= (async () => {
    find("#offline").hidden = false;
    for (;;) {
      await pause(0.7);
      try {
        if ((await fetch("/healthz")).ok) break;
      } catch { /* still away */ }
    }
    find("#offline").hidden = true;
    waiting = null;
  })();
  return waiting;
}

export const get = (path) => ask("GET", path);
export const post = (path, body) => ask("POST", path, body);

const FILES = 12; // per request: small enough for a bar that moves
const BYTES = 8e6;

// items: {file, name, label, truth, press}. step(done, total) is called as they arrive.
export async function upload(session, items, limits, step) {
  const added = [], rejected = [];
  const chunks = [];
  let room = 0;
  for (const item of items) {
    if (item.file.size > limits.image_bytes) {
      rejected.push({ name: item.name, error: `cannot read ${item.name}: ${item.file.size.toLocaleString("en")} bytes, at most ${limits.image_bytes.toLocaleString("en")} are allowed` });
      continue;
    }
    const last = chunks.at(-1);
    if (last && last.length < FILES && room + item.file.size <= BYTES) { last.push(item); room += item.file.size; } else { chunks.push([item]); room = item.file.size; }
  }
  let done = rejected.length;
  step(done, items.length);
  const next = async () => {
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
      const form = new FormData();
      form.append("key", crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`);
      for (const item of chunk) {
        form.append("files", item.file, item.name);
        form.append("labels", item.label ?? "");
        form.append("truths", item.truth ?? "");
        form.append("presses", item.press ?? "");
      }
      const answer = await post(`/v1/sessions/${session}/contacts`, form);
      added.push(...answer.added);
      rejected.push(...answer.rejected);
      done += chunk.length;
      step(done, items.length);
    }
  };
  await next(); // one after the other: contacts keep the order in which they were given
  return { added, rejected };
}
