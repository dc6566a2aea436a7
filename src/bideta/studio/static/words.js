// Words explained where they stand: a line on demand, and a link to the rest.

import { make } from "./dom.js";

export function word(words, name, text = name) {
  if (!words?.[name]) return make("span", {}, text);
  return make("details", { class: "word" }, make("summary", {}, text),
    make("p", {}, `${words[name]} `, make("a", { href: `/docs#${name.replaceAll(" ", "-")}`, target: "_blank" }, "More")));
}
