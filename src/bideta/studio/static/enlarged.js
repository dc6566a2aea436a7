// A picture as large as it came, in any look. A click on a picture enlarges it and changes nothing.

import { fill, find, make, picture } from "./dom.js";

// actions: [text, what to do], offered under the picture.
export function enlarge(session, contact, text, actions = []) {
  const dialog = find("#enlarged");
  const close = make("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, "✕");
  fill(dialog,
    make("div", { class: "detail-head" }, make("h2", { id: "enlarged-title", title: contact.name }, contact.name), close),
    picture(session, contact.id, contact.name, true),
    make("div", { class: "row between" }, make("p", {}, text),
      make("div", { class: "row" }, ...actions.map(([name, work]) => make("button", { type: "button", onclick: async () => { dialog.close(); await work(); } }, name)))));
  dialog.onclick = (event) => { if (event.target === dialog) dialog.close(); };
  dialog.showModal();
}

// A picture that is enlarged by a click.
export const enlargeable = (session, contact, text, large = false) => make("button", {
  type: "button", class: "pic", title: contact.name, "aria-label": `Enlarge ${contact.name}`, onclick: () => enlarge(session, contact, text),
}, picture(session, contact.id, "", large));
