// Step 3: take it home.

import { fill, find, make, notify } from "./dom.js";
import * as quantities from "./quantities.js";

export async function show(app) {
  const place = find("#export-body");
  const { adapted, measures } = app.session;
  if (!adapted && !measures) {
    fill(place, make("div", { class: "empty" }, "Adapt first; then the sensor can be exported."));
    return;
  }
  const base = `/v1/sessions/${app.session.session}/export/`;
  const card = (title, text, file) => make("article", { class: "card" }, make("h2", {}, title), make("p", {}, text), make("a", { class: "button", href: base + file, download: file }, `Download ${file}`));
  const answers = app.session.contacts.some((contact) => contact.label === null);
  const response = await fetch(`${base}command.txt`);
  const command = response.ok ? (await response.text()).trimEnd() : "";
  const copy = make("button", { type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(command);
      notify("Copied.");
    } catch {
      notify("The browser does not allow copying; select the text instead.", true);
    }
  } }, "Copy");
  fill(place,
    make("div", { class: "exports" },
      adapted ? card("Adapted sensor", "One file without code in it. Load it with Bideta.load, or use it on the command line and on a robot.", "sensor.bideta") : null,
      adapted && answers ? card("Answers", "Label, probability, reliability and second choice of every new contact.", "predictions.csv") : null,
      ...quantities.cards(card),
      card("Pictures", "All contacts in folders, as the command line reads them.", "contacts.zip"),
      answers ? card("FiftyOne", "What to label next, with guess and doubt; data_path is the unpacked contacts.zip.", "fiftyone.json") : null,
      answers ? card("Label Studio", "The same as tasks; image paths are those in contacts.zip.", "label-studio.json") : null),
    make("article", { class: "card" }, make("h2", {}, "The same on the command line"), make("pre", { tabindex: "0" }, command), copy));
}
