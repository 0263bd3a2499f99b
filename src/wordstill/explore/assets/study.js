/* The tables of a study: they fold, sort by a click on a heading, and show our rows, published ones or both. */

const data = JSON.parse(byId("data").textContent);

/** The number that a cell begins with ("45.3 (98 %)", "61.0, layer 3"), or null for words and failures. */
function leadingNumber(text) {
  const found = /^-?\d+(\.\d+)?(?=$| \(|,)/.exec(text.replace(/(\d),(?=\d{3})/g, "$1"));
  return found ? Number(found[0]) : null;
}

/** Numbers before words and the larger first, words by the alphabet, what is not there last. */
function compare(one, other) {
  const [first, second] = [one, other].map(leadingNumber);
  if (first !== null && second !== null) return second - first;
  if (first !== null || second !== null) return first !== null ? -1 : 1;
  const [lacks, alsoLacks] = [one, other].map((text) => text === "" || text === "-");
  return lacks || alsoLacks ? lacks - alsoLacks : one.localeCompare(other, "en");
}

/** A table whose headings are buttons: sorted, sorted the other way, and as it was. */
function sortable(entry) {
  const published = new Set(entry.published);
  const numeric = entry.head.map((_, column) => entry.rows.some((row) => leadingNumber(row[column]) !== null));
  const kind = (column) => (numeric[column] ? "number" : null);
  const lines = entry.rows.map((row, number) => make("tr", { class: published.has(number) ? "published" : "ours" },
    ...row.map((text, column) => make(column ? "td" : "th", { class: kind(column), scope: column ? null : "row" }, text))));
  const body = make("tbody", {}, ...lines);
  let sorted = -1, turned = false;
  function sort(column) {
    if (sorted !== column) [sorted, turned] = [column, false];
    else if (turned) [sorted, turned] = [-1, false];
    else turned = true;
    const order = lines.map((_, number) => number);
    if (sorted >= 0) order.sort((one, other) => compare(entry.rows[one][column], entry.rows[other][column]) * (turned ? -1 : 1));
    body.append(...order.map((number) => lines[number]));
    headings.forEach((heading, other) => {
      // The larger number comes first, the earlier word too.
      if (other === sorted) heading.setAttribute("aria-sort", numeric[other] === turned ? "ascending" : "descending");
      else heading.removeAttribute("aria-sort");
    });
  }
  const headings = entry.head.map((name, column) => make("th", { class: kind(column), scope: "col" },
    make("button", { type: "button", class: "sort", onclick: () => sort(column) }, name)));
  return make("table", { class: "study" }, make("thead", {}, make("tr", {}, ...headings)), body);
}

function showTables() {
  byId("title").textContent = data.title;
  byId("made").textContent = `Made by wordstill ${data.version}. This file needs no network.`;
  byId("notes").append(...data.notes.map((note) => make("li", {}, note)));
  data.tables.forEach((entry, number) => {
    const notes = entry.notes.map((note) => make("p", { class: "quiet" }, note));
    byId("tables").append(make("details", { open: "", id: `table-${number}` }, make("summary", {}, entry.title),
      make("div", { class: "wide" }, sortable(entry)), ...notes));
    if (data.tables.length > 1) byId("contents").append(make("a", { href: `#table-${number}` }, entry.title));
  });
}

/** Buttons for all rows, ours, and those of the papers, where there are such. */
function showOrigins() {
  if (!data.tables.some((entry) => entry.published.length)) return;
  const kinds = [["all", "All rows"], ["ours", "Ours"], ["published", "Published"]];
  const pick = (kind) => {
    byId("tables").dataset.rows = kind;
    tabs.forEach((tab, number) => tab.setAttribute("aria-checked", String(kinds[number][0] === kind)));
  };
  const tabs = kinds.map(([kind, name]) => make("button", { type: "button", role: "radio", onclick: () => pick(kind) }, name));
  byId("origins").append(...tabs);
  pick("all");
}

showTables();
showOrigins();
chooseScheme(() => {}, () => document.querySelectorAll("details").forEach((one) => one.setAttribute("open", "")));
document.documentElement.dataset.ready = "true";
