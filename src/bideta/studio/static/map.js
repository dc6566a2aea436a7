// The map of new and labelled contacts, coloured by answer.

import { classColour, slotsOf } from "./colours.js";
import { count, find, notify, options } from "./dom.js";
import * as edits from "./history.js";
import { Scatter } from "./scatter.js";
import { confirmed } from "./spelling.js";

let scatter = null;

export function show(app, results, open, look) {
  scatter ??= new Scatter(find("#map"), "Map of new and labelled contacts in the spectral geometry");
  const slots = slotsOf(app.session.session, results.classes);
  const point = (kind) => (item) => ({ id: item.id, name: item.name, text: item.label, group: item.label, place: item.place, kind });
  const groups = new Map();
  for (const { label, place } of results.support) groups.set(label, [...(groups.get(label) ?? []), place]);
  const middle = (places, axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length;
  scatter.show({
    session: app.session.session,
    points: [...results.rows.map(point("new")), ...results.support.map(point("labelled"))],
    tags: [...groups].map(([text, places]) => ({ text, group: text, place: [middle(places, 0), middle(places, 1)] })),
    colour: ({ group }, dark) => classColour(slots.get(group) ?? 0, dark),
    note: "◆ labelled, ● new, coloured by answer. All readouts after the spectral step, first two principal components.",
    open: (item) => { if (item.kind === "new") open(item.id); },
    look: (points) => look(new Set(points.map(({ id }) => id)), `${count(points.length, "contact")} from the map`),
    label: async (points, typed) => {
      const label = await confirmed(typed, app.classes());
      if (!label) return false;
      try {
        await edits.relabel(points.map(({ id }) => id), label, `${count(points.length, "contact")} labelled ${label}`);
      } catch (error) {
        notify(error.message, true);
      }
      await app.changed();
      return true;
    },
  });
  const select = find("#highlight");
  options(select, [["", "all"], ...results.classes.map((name) => [name, name])], results.classes.includes(select.value) ? select.value : "");
  select.onchange = () => scatter.highlight(select.value ? ({ group }) => group !== select.value : () => false);
  select.onchange();
}
