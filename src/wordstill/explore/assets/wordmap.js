/* The map: words as points on a canvas, which can be moved and zoomed; labels appear, frequent words first. */

const NO_WORD = 65535;
const NEAREST = 10;
const MOST_LABELS = 160;
const FARTHEST = 400;
// How much of the map stays in view when a word is shown; the whole is 1.
const CLOSEST_REACH = 0.12;

class WordMap {
  /** `data` is the report's map; `chosen(word)` is called when a word is chosen here. */
  constructor(canvas, tip, data, chosen) {
    Object.assign(this, { canvas, tip, chosen, words: data.words, regions: unpack(data.regions, Uint8Array) });
    this.models = data.models.map((model) => this.read(model));
    this.pen = canvas.getContext("2d");
    this.model = 0;
    this.places = this.models[0].places;
    this.word = null;
    this.hovered = null;
    this.widths = new Map();
    this.byRegion = Array.from({ length: COLOURS + 1 }, () => []);
    this.regions.forEach((region, word) => this.byRegion[region].push(word));
    this.listen();
    this.recolour();
  }

  read(model) {
    const raw = unpack(model.places, Uint16Array);
    const places = Float32Array.from(raw, (value) => value / 32767 - 1);
    for (const word of model.missing) places[2 * word] = NaN;
    return { places, neighbors: unpack(model.neighbors, Uint16Array), cosines: unpack(model.cosines, Int8Array) };
  }

  /** The nearest words of a word in a model, or null where it has no vector there. */
  nearest(word, model) {
    const { places, neighbors, cosines } = this.models[model];
    if (Number.isNaN(places[2 * word])) return null;
    const found = [];
    for (let at = word * NEAREST; at < (word + 1) * NEAREST && neighbors[at] !== NO_WORD; at++) {
      found.push([neighbors[at], cosines[at] / 127]);
    }
    return found;
  }

  /* ------------------------------------------------------------------ what is seen */

  resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    const ratio = window.devicePixelRatio || 1;
    const first = !this.width;
    Object.assign(this, { width: clientWidth, height: clientHeight, ratio });
    this.canvas.width = Math.round(clientWidth * ratio);
    this.canvas.height = Math.round(clientHeight * ratio);
    if (first) this.showAll();
    // At once: a canvas that has a new size is empty, and a printer does not wait for the next frame.
    this.paint();
  }

  showAll() {
    this.view = { x: 0, y: 0, scale: this.whole() };
    this.redraw();
  }

  whole() {
    return (Math.min(this.width, this.height) / 2) * 0.95;
  }

  toScreen(word) {
    const { x, y, scale } = this.view;
    return [this.width / 2 + (this.places[2 * word] - x) * scale, this.height / 2 - (this.places[2 * word + 1] - y) * scale];
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const before = this.view.scale;
    const scale = Math.min(this.whole() * FARTHEST, Math.max(this.whole() * 0.5, before * factor));
    const shift = 1 / before - 1 / scale;
    this.view.x += (x - this.width / 2) * shift;
    this.view.y -= (y - this.height / 2) * shift;
    this.view.scale = scale;
    this.redraw();
  }

  move(dx, dy) {
    this.view.x -= dx / this.view.scale;
    this.view.y += dy / this.view.scale;
    this.redraw();
  }

  /** Choose a word, bring it and its neighbours into view. */
  show(word) {
    this.word = word;
    const near = this.nearest(word, this.model);
    if (near) {
      const at = (other) => [this.places[2 * other], this.places[2 * other + 1]];
      const [x, y] = at(word);
      // As near as the middle one of its neighbours allows: a few may be far away.
      const away = near.map(([other]) => Math.hypot(at(other)[0] - x, at(other)[1] - y)).sort((a, b) => a - b);
      const reach = Math.max((away[away.length >> 1] ?? 0) * 2.5, CLOSEST_REACH);
      Object.assign(this.view, { x, y, scale: this.whole() / reach });
    }
    this.redraw();
  }

  /** Let every word walk to its place in another model. */
  switchTo(model) {
    const from = this.places, to = this.models[model].places;
    this.model = model;
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const began = performance.now(), lasts = still ? 0 : 450;
    const step = (now) => {
      if (this.model !== model) return;
      const share = lasts ? Math.min(1, (now - began) / lasts) : 1;
      const eased = share * share * (3 - 2 * share);
      this.places = share < 1 ? to.map((value, at) => from[at] + (value - from[at]) * eased) : to;
      this.paint();
      if (share < 1) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  recolour() {
    this.colours = schemeColours();
    if (this.view) this.redraw();
  }

  /* ------------------------------------------------------------------ drawing */

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  paint() {
    const { pen, width, height } = this;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const size = Math.min(5, 1.6 + Math.log2(this.view.scale / this.whole() + 1) * 0.6);
    pen.globalAlpha = 0.75;
    this.byRegion.forEach((words, region) => {
      pen.fillStyle = region ? this.colours.regions[region - 1] : this.colours.quiet;
      for (const word of words) {
        const [x, y] = this.toScreen(word);
        if (x > -5 && y > -5 && x < width + 5 && y < height + 5) pen.fillRect(x - size / 2, y - size / 2, size, size);
      }
    });
    pen.globalAlpha = 1;
    const near = this.word === null ? [] : (this.nearest(this.word, this.model) ?? []).map(([word]) => word);
    if (this.word !== null && !Number.isNaN(this.places[2 * this.word])) this.paintChosen(near);
    this.paintLabels(this.word === null ? [] : [this.word, ...near]);
  }

  paintChosen(near) {
    const { pen } = this;
    const [x, y] = this.toScreen(this.word);
    pen.strokeStyle = this.colours.text;
    pen.lineWidth = 0.7;
    pen.beginPath();
    for (const word of near) {
      pen.moveTo(x, y);
      pen.lineTo(...this.toScreen(word));
    }
    pen.stroke();
    pen.lineWidth = 2;
    pen.beginPath();
    pen.arc(x, y, 7, 0, 2 * Math.PI);
    pen.stroke();
  }

  /** Labels where there is room: those of the chosen word and its neighbours, then by frequency. */
  paintLabels(first) {
    const { pen, width, height } = this;
    const taken = [];
    const chosen = new Set(first);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    pen.strokeStyle = this.colours.page;
    pen.fillStyle = this.colours.text;
    const label = (word) => {
      const [x, y] = this.toScreen(word);
      if (!(x > -20 && y > 0 && x < width && y < height)) return;
      const box = [x + 5, y - 8, x + 9 + this.textWidth(word), y + 8];
      if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return;
      taken.push(box);
      if (chosen.has(word)) pen.font = "bold 12px system-ui, sans-serif";
      pen.strokeText(this.words[word], x + 7, y);
      pen.fillText(this.words[word], x + 7, y);
      pen.font = "12px system-ui, sans-serif";
    };
    first.forEach(label);
    for (let word = 0; word < this.words.length && taken.length < MOST_LABELS; word++) {
      if (!chosen.has(word)) label(word);
    }
    this.labels = taken.length;
  }

  textWidth(word) {
    let found = this.widths.get(word);
    if (found === undefined) {
      found = this.pen.measureText(this.words[word]).width;
      this.widths.set(word, found);
    }
    return found;
  }

  /* ------------------------------------------------------------------ hands */

  /** The word at a place on the screen, or null. */
  wordAt(x, y) {
    let best = null, nearest = 12 * 12;
    for (let word = 0; word < this.words.length; word++) {
      const [wx, wy] = this.toScreen(word);
      const away = (wx - x) ** 2 + (wy - y) ** 2;
      if (away < nearest) [best, nearest] = [word, away];
    }
    return best;
  }

  hover(x, y) {
    const word = x === null ? null : this.wordAt(x, y);
    this.hovered = word;
    this.tip.hidden = word === null;
    if (word === null) return;
    this.tip.textContent = `${this.words[word]} (${whole(word + 1)}.)`;
    const [wx, wy] = this.toScreen(word);
    this.tip.style.left = `${Math.max(0, Math.min(wx + 12, this.width - this.tip.offsetWidth - 4))}px`;
    this.tip.style.top = `${Math.max(0, Math.min(wy + 12, this.height - this.tip.offsetHeight - 4))}px`;
  }

  listen() {
    const { canvas } = this;
    const fingers = new Map();
    let moved = 0;
    const here = (event) => {
      const frame = canvas.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, here(event));
      moved = 0;
      canvas.classList.add("moving");
    });
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = here(event);
      const before = fingers.get(event.pointerId);
      if (!before) return this.hover(x, y);
      moved += Math.abs(x - before[0]) + Math.abs(y - before[1]);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const spread = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
        this.zoom(spread([x, y]) / spread(before), (x + other[0]) / 2, (y + other[1]) / 2);
      } else this.move(x - before[0], y - before[1]);
      fingers.set(event.pointerId, [x, y]);
      this.hover(null);
    });
    const lift = (event) => {
      if (!fingers.delete(event.pointerId)) return;
      if (!fingers.size) canvas.classList.remove("moving");
      const word = event.type === "pointerup" && moved < 5 ? this.wordAt(...here(event)) : null;
      if (word !== null) this.chosen(word);
    };
    canvas.addEventListener("pointerup", lift);
    canvas.addEventListener("pointercancel", lift);
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), ...here(event));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
      if (steps[event.key]) this.move(...steps[event.key]);
      else if (event.key === "+" || event.key === "=") this.zoom(1.4);
      else if (event.key === "-") this.zoom(1 / 1.4);
      else if (event.key === "0") this.showAll();
      else return;
      event.preventDefault();
    });
    new ResizeObserver(() => this.resize()).observe(canvas);
  }
}
