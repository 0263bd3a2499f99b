"use strict";
/* What all parts of the page share. Text is only ever set as text: no word of the data can become markup. */

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; a child that is no node becomes text. */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for a part of a drawing. */
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

const byId = (id) => document.getElementById(id);

/** Numbers of a typed array from base64; the file's bytes are little-endian, as all browsers' machines are. */
function unpack(text, Kind) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Kind(bytes.buffer);
}

const hundred = (value) => (value === null ? "–" : (100 * value).toFixed(1));
const percent = (value) => `${Math.round(100 * value)} %`;
const whole = (value) => value.toLocaleString("en");

const COLOURS = 8;
/** The colour of a model, or of a region of the map; it follows the light or dark scheme. */
const colourName = (number) => `var(--c${(number % COLOURS) + 1})`;

/** The colours of the scheme as they are now, for the canvas, which knows no variables. */
function schemeColours() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue(name).trim();
  return {
    page: value("--page"), text: value("--text"), quiet: value("--quiet"), line: value("--line"),
    regions: Array.from({ length: COLOURS }, (_, number) => value(`--c${number + 1}`)),
  };
}

/** A coloured dot before a model's name. */
function swatch(number) {
  const dot = make("span", { class: "swatch", "aria-hidden": "true" });
  dot.style.background = colourName(number);
  return dot;
}

/** Ticks at round numbers. */
function ticks(low, high, about) {
  const raw = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) found.push(value);
  return found;
}

/** A table; columns whose heading is in `numbers` stand to the right. */
function table(headings, rows, numbers = new Set()) {
  const kind = (column) => (numbers.has(headings[column]) ? "number" : null);
  const cell = (content, column) => {
    const isCell = content instanceof HTMLTableCellElement;
    return isCell ? content : make("td", { class: kind(column) }, content);
  };
  return make("table", {},
    make("thead", {}, make("tr", {}, ...headings.map((name, column) => make("th", { class: kind(column), scope: "col" }, name)))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell)))));
}

/** Follow the system's light or dark colours, or the button; paper is white. */
function chooseScheme(recolour, beforePrint) {
  const root = document.documentElement, button = byId("scheme");
  const wanted = window.matchMedia("(prefers-color-scheme: dark)");
  function set(dark) {
    root.dataset.scheme = dark ? "dark" : "light";
    button.textContent = dark ? "Light" : "Dark";
    recolour();
  }
  button.addEventListener("click", () => set(root.dataset.scheme !== "dark"));
  wanted.addEventListener("change", () => set(wanted.matches));
  let before = false;
  window.addEventListener("beforeprint", () => {
    before = root.dataset.scheme === "dark";
    set(false);
    beforePrint();
  });
  window.addEventListener("afterprint", () => set(before));
  set(wanted.matches);
}
