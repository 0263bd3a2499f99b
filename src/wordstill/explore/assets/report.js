/* Fills the page from its data. */

const data = JSON.parse(byId("data").textContent);

function showModels() {
  byId("title").textContent = data.title;
  const count = data.models.length;
  byId("summary").textContent = `${count} ${count === 1 ? "model" : "models"}, ${whole(data.map.words.length)} words on the map`;
  byId("made").textContent = `Made by wordstill ${data.version}. This file needs no network.`;
  const told = new Map(data.models.map((model) => [model, new Map(model.card)]));
  const how = (model) => told.get(model).get("method.student") ?? told.get(model).get("student") ?? told.get(model).get("method") ?? "";
  const headings = ["model", "words", "dimensions", "seen", "method", "teacher"];
  const rows = data.models.map((model, number) => [
    make("th", { scope: "row" }, swatch(number), model.name), whole(model.words), whole(model.dimensions),
    model.counted === null ? "" : whole(model.counted), how(model), told.get(model).get("teacher") ?? "",
  ]);
  byId("models-table").append(table(headings, rows, new Set(["words", "dimensions", "seen"])));
}

function showScores() {
  for (const note of data.notes) byId("scores-notes").append(make("li", {}, note));
  if (!data.scores.length) {
    byId("scores-details").remove();
    return;
  }
  redrawn(byId("scores-chart"), (width) => scoresChart(data.scores, data.models, width));
  const rows = data.scores.flatMap((entry) => {
    const best = Math.max(...entry.scores.map((one) => one?.score ?? -Infinity));
    return entry.scores.map((one, number) => {
      const first = number ? make("td") : make("th", { scope: "row", title: entry.task }, entry.title);
      const model = make("td", {}, swatch(number), data.models[number].name);
      if (!one) return [first, model, "–", "", "", "", ""];
      const isBest = data.models.length > 1 && one.score === best;
      const spread = one.deviation === null ? "" : ` ±${hundred(one.deviation)}`; // over the seeds of a trained model
      return [
        first, model, make("td", { class: isBest ? "number best" : "number" }, hundred(one.score) + spread),
        one.low === null ? "" : `${hundred(one.low)} to ${hundred(one.high)}`, hundred(one.score_all),
        `${whole(one.covered)} of ${whole(one.items)}`, percent(one.items ? one.covered / one.items : 0),
      ];
    });
  });
  const numbers = ["score", "95 % interval", "all items", "judged", "coverage"];
  byId("scores-table").append(table(["data set", "model", ...numbers], rows, new Set(numbers)));
}

/** Lists of nearest words side by side; `choose` makes each word a button. */
function nearLists(lists, choose) {
  const counts = new Map();
  for (const list of lists) for (const [word] of list ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return make("div", { class: "lists" }, ...lists.map((list, number) => {
    const items = (list ?? []).map(([word, cosine, id]) => {
      const kind = counts.get(word) > 1 ? "shared" : null;
      const shown = choose ? make("button", { type: "button", class: kind, onclick: () => choose(id) }, word) : make("span", { class: kind }, word);
      return make("li", {}, shown, make("span", { class: "number" }, cosine.toFixed(2)));
    });
    return make("div", { class: "list" }, make("h4", {}, swatch(number), data.models[number].name),
      list ? make("ol", {}, ...items) : make("p", { class: "quiet" }, "has no vector for it"));
  }));
}

function showNeighbors() {
  for (const { word, near } of data.chosen) byId("neighbors-lists").append(make("h3", {}, word), nearLists(near, null));
}

function showTraining() {
  const place = byId("training-runs");
  if (!data.runs.length) place.append(make("p", { class: "quiet" }, "No run.json was found beside these vectors."));
  data.runs.forEach((run, number) => {
    const models = data.models.filter((model) => model.run === number).map((model) => model.name);
    const time = make("div"), curves = make("div", { class: "multiples" });
    place.append(make("h3", {}, run.name), make("p", { class: "quiet" }, `Made: ${models.join(", ")}`),
      make("div", { class: "wide" }, table(["what", "value"], run.lines, new Set(["value"]))));
    if (run.seconds.length) place.append(make("h3", {}, "Where the time went"), time);
    if (run.seconds.length) redrawn(time, (width) => timeChart(run.seconds, Math.min(width, 760)));
    if (run.curves.length) place.append(make("h3", {}, "Loss over words seen"), curves);
    run.curves.forEach((curve, index) => {
      const chart = make("div");
      curves.append(make("figure", { class: "list" }, make("figcaption", {}, curve.name), chart));
      redrawn(chart, (width) => lossChart(curve, colourName(index), width));
    });
  });
}

function showCards() {
  data.models.forEach((model, number) => {
    const lines = model.card.length ? table(["what", "value"], model.card) : make("p", { class: "quiet" }, "These vectors have no card.");
    byId("cards-list").append(make("details", {}, make("summary", {}, swatch(number), model.name), make("div", { class: "wide" }, lines)));
  });
}

function showMap() {
  const { words } = data.map;
  const panel = byId("map-word");
  const map = new WordMap(byId("map-canvas"), byId("map-tip"), data.map, (word) => choose(word));
  byId("map-note").textContent = `The ${whole(words.length)} most frequent words, placed by t-SNE: near each other on the map means near in the model, `
    + "far apart means little. Colours are regions of the first model's map, the same words have the same colour in all. "
    + "Neighbours are found among the words of the map.";

  function choose(word) {
    map.show(word);
    const lists = data.models.map((_, number) => map.nearest(word, number)?.map(([near, cosine]) => [words[near], cosine, near]) ?? null);
    panel.replaceChildren(make("h3", {}, words[word]), make("p", { class: "quiet" }, `number ${whole(word + 1)} by frequency`), nearLists(lists, choose));
  }

  const tabs = data.models.map((model, number) => make("button", {
    type: "button", role: "radio", "aria-checked": String(number === 0), tabindex: number ? -1 : 0, onclick: () => pick(number),
  }, swatch(number), model.name));
  function pick(number) {
    tabs.forEach((tab, other) => {
      tab.setAttribute("aria-checked", String(other === number));
      tab.tabIndex = other === number ? 0 : -1;
    });
    map.switchTo(number);
  }
  byId("map-models").append(...tabs);
  byId("map-models").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const next = (map.model + step + tabs.length) % tabs.length;
    pick(next);
    tabs[next].focus();
    event.preventDefault();
  });
  byId("map-in").addEventListener("click", () => map.zoom(1.6));
  byId("map-out").addEventListener("click", () => map.zoom(1 / 1.6));
  byId("map-all").addEventListener("click", () => map.showAll());
  searchWords(byId("map-search"), byId("map-found"), words, choose);
  return map;
}

/** A text field with a list of words below it: those that begin with what is typed, then those that contain it. */
function searchWords(field, list, words, choose) {
  const most = 8;
  const folded = words.map((word) => word.toLowerCase());
  let found = [], active = 0;

  function matches(text) {
    const exact = words.indexOf(text), first = exact < 0 ? [] : [exact], second = [];
    for (let word = 0; word < words.length && first.length < most; word++) {
      if (word === exact) continue;
      const at = folded[word].indexOf(text.toLowerCase());
      if (at === 0) first.push(word);
      else if (at > 0 && second.length < most) second.push(word);
    }
    return [...first, ...second].slice(0, most);
  }
  function close() {
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  }
  function show() {
    list.replaceChildren(...(found.length ? found.map((word, number) => make("li", {
      role: "option", id: `found-${number}`, "aria-selected": String(number === active), onclick: () => take(word),
    }, words[word])) : [make("li", { role: "option", "aria-disabled": "true" }, "no word of the map is like this")]));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    if (found.length) field.setAttribute("aria-activedescendant", `found-${active}`);
  }
  function take(word) {
    field.value = words[word];
    close();
    choose(word);
  }
  function look() {
    if (!field.value) return close();
    found = matches(field.value);
    active = 0;
    show();
  }
  field.addEventListener("input", look);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close();
    if (list.hidden && (event.key === "Enter" || event.key === "ArrowDown")) look();
    if (list.hidden || !found.length) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      active = (active + step + found.length) % found.length;
      show();
      event.preventDefault();
    } else if (event.key === "Enter") take(found[active]);
  });
  field.addEventListener("blur", close);
  // A word is clicked on before the field loses the focus, which would close the list.
  list.addEventListener("mousedown", (event) => event.preventDefault());
}

showModels();
showScores();
showNeighbors();
showTraining();
showCards();
const map = showMap();
chooseScheme(() => map.recolour(), () => {
  map.paint(); // at once, before the page is taken
  byId("scores-details")?.setAttribute("open", "");
});
document.documentElement.dataset.ready = "true";
