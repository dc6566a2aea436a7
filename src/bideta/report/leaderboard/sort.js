"use strict";
// Sorts a table by a click on a heading, and shows the lines that the filters above leave.
const tables = [...document.querySelectorAll("table.board")];
const filters = document.getElementById("filters");
const FILTERED = ["dataset", "sensor or split", "batch", "labels", "encoder", "method"]; // the first columns
const words = cell => cell.firstChild ? cell.firstChild.textContent.trim() : "";
const byName = new Intl.Collator("en", { numeric: true }).compare;

function compare(column) {
  return (a, b) => {
    const [left, right] = [a.cells[column], b.cells[column]];
    if ("value" in left.dataset || "value" in right.dataset) {
      return Number(left.dataset.value ?? -Infinity) - Number(right.dataset.value ?? -Infinity);
    }
    return byName(left.textContent, right.textContent);
  };
}

for (const table of tables) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const number = table.tBodies[0].rows[0].cells[column].classList.contains("number");
      const before = heading.getAttribute("aria-sort");
      const down = before ? before === "ascending" : number; // figures: the largest first
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].sort(compare(column));
      table.tBodies[0].replaceChildren(...(down ? rows.reverse() : rows));
    });
  });
}

function show() {
  const wanted = [...filters.querySelectorAll("select")].map(select => select.value);
  const text = filters.querySelector("input").value.trim().toLowerCase();
  for (const table of tables) {
    let left = 0;
    for (const row of table.tBodies[0].rows) {
      const fits = wanted.every((value, column) => !value || words(row.cells[column]) === value)
        && (!text || row.textContent.toLowerCase().includes(text));
      row.hidden = !fits;
      left += fits;
    }
    table.parentElement.hidden = !left;
  }
}

function add(name, element) {
  const label = document.createElement("label");
  label.append(name, element);
  element.addEventListener("input", show);
  filters.append(label);
}

FILTERED.forEach((name, column) => {
  const values = new Set(tables.flatMap(table => [...table.tBodies[0].rows].map(row => words(row.cells[column]))));
  const select = document.createElement("select");
  select.append(new Option("all", ""), ...[...values].sort(byName).map(value => new Option(value, value)));
  add(name, select);
});
const search = document.createElement("input");
search.type = "search";
add("any word", search);
filters.hidden = false;
