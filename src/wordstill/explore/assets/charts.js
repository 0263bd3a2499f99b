/* Charts as SVG, drawn as wide as the page is; `redrawn` draws them again when that changes. */

/** Keep a drawing as wide as its place. */
function redrawn(place, drawing) {
  let width = 0;
  new ResizeObserver(() => {
    const now = Math.floor(place.clientWidth);
    if (now === width || now === 0) return;
    width = now;
    place.replaceChildren(drawing(width));
  }).observe(place);
}

/** Scores of models on data sets: a dot and its interval a score, and a bar for the share that was judged. */
function scoresChart(scores, models, width) {
  const narrow = width < 560;
  const left = narrow ? 8 : 190, right = narrow ? 70 : 130, top = 22;
  const line = 15, gap = narrow ? 30 : 12;
  const known = scores.flatMap((entry) => entry.scores.filter((one) => one && one.score !== null));
  const low = Math.min(0, ...known.map((one) => one.low ?? one.score));
  const high = Math.max(0.1, ...known.map((one) => one.high ?? one.score));
  const x = (value) => left + ((value - low) / (high - low)) * (width - left - right);
  const height = top + scores.length * (gap + line * models.length) + 6;
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" },
    draw("title", {}, "Scores of the models on each data set; the table below has the numbers"));
  for (const value of ticks(low * 100, high * 100, narrow ? 4 : 8)) {
    const at = x(value / 100);
    svg.append(draw("line", { x1: at, x2: at, y1: top - 4, y2: height, stroke: "var(--line)" }),
      draw("text", { x: at, y: 12, "text-anchor": "middle", fill: "var(--quiet)" }, String(Math.round(value))));
  }
  svg.append(draw("text", { x: width, y: 12, "text-anchor": "end", fill: "var(--quiet)" }, "coverage"));
  scores.forEach((entry, row) => {
    const start = top + row * (gap + line * models.length) + gap;
    const middle = start + (line * models.length) / 2;
    const name = narrow ? { x: left, y: start - 6 } : { x: left - 12, y: middle + 4, "text-anchor": "end" };
    svg.append(draw("text", { ...name, class: "dataset" }, entry.title));
    entry.scores.forEach((one, number) => {
      if (!one || one.score === null) return;
      const y = start + line * number + line / 2, colour = colourName(number);
      const coverage = one.items ? one.covered / one.items : 0;
      const wide = right - 46;
      const told = `${models[number].name}, ${entry.title}: ${hundred(one.score)}, coverage ${percent(coverage)}`;
      const group = draw("g", {}, draw("title", {}, told));
      if (one.low !== null && one.high !== null) {
        group.append(draw("line", { x1: x(one.low), x2: x(one.high), y1: y, y2: y, stroke: colour, "stroke-width": 2 }));
      }
      group.append(sign(number, x(one.score), y, colour),
        draw("rect", { x: width - right + 20, y: y - 4, width: wide - 10, height: 8, fill: "var(--raised)" }),
        draw("rect", { x: width - right + 20, y: y - 4, width: (wide - 10) * coverage, height: 8, fill: colour }),
        draw("text", { x: width, y: y + 4, "text-anchor": "end", "font-size": 11, fill: "var(--quiet)" }, percent(coverage)));
      svg.append(group);
    });
  });
  return svg;
}

/** Models differ by shape too, for those who do not see the colours. */
function sign(number, x, y, colour) {
  const r = 5;
  const paths = [
    `M${x - r},${y} a${r},${r} 0 1,0 ${2 * r},0 a${r},${r} 0 1,0 ${-2 * r},0`,
    `M${x - r + 1},${y - r + 1} h${2 * r - 2} v${2 * r - 2} h${2 - 2 * r} z`,
    `M${x},${y - r} l${r},${2 * r - 1} h${-2 * r} z`,
    `M${x},${y - r} l${r},${r} l${-r},${r} l${-r},${-r} z`,
  ];
  return draw("path", { d: paths[number % paths.length], fill: colour, stroke: "var(--page)" });
}

/** One student's loss over the words it has seen. */
function lossChart(curve, colour, width) {
  const height = 170, left = 52, bottom = 26, top = 8, right = 10;
  const xs = curve.points.map((point) => point[0]), ys = curve.points.map((point) => point[1]);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const room = (Math.max(...ys) - Math.min(...ys)) * 0.05 || 0.01;
  const [y0, y1] = [Math.min(...ys) - room, Math.max(...ys) + room];
  const x = (value) => left + ((value - x0) / (x1 - x0 || 1)) * (width - left - right);
  const y = (value) => height - bottom - ((value - y0) / (y1 - y0)) * (height - bottom - top);
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" },
    draw("title", {}, `Loss of ${curve.name}, from ${ys[0].toPrecision(3)} to ${ys[ys.length - 1].toPrecision(3)}`));
  for (const value of ticks(y0, y1, 4)) {
    svg.append(draw("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), stroke: "var(--line)" }),
      draw("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end", fill: "var(--quiet)" }, String(+value.toPrecision(4))));
  }
  const short = new Intl.NumberFormat("en", { notation: "compact" });
  for (const value of ticks(x0, x1, 3)) {
    svg.append(draw("text", { x: x(value), y: height - 8, "text-anchor": "middle", fill: "var(--quiet)" }, short.format(value)));
  }
  const path = curve.points.map((point, i) => `${i ? "L" : "M"}${x(point[0]).toFixed(1)},${y(point[1]).toFixed(1)}`).join("");
  svg.append(draw("path", { d: path, fill: "none", stroke: colour, "stroke-width": 1.8 }));
  return svg;
}

/** Where a run's time went: one bar a part. */
function timeChart(parts, width) {
  const line = 22, left = Math.min(170, width * 0.42), right = 110;
  const total = parts.reduce((sum, part) => sum + part[1], 0);
  const longest = Math.max(...parts.map((part) => part[1]));
  const height = parts.length * line + 4;
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" },
    draw("title", {}, "Seconds that each part of the run took"));
  parts.forEach(([name, seconds], row) => {
    const y = row * line;
    svg.append(draw("text", { x: left - 8, y: y + 15, "text-anchor": "end" }, name),
      draw("rect", { x: left, y: y + 4, width: ((width - left - right) * seconds) / longest, height: 13, fill: colourName(0) }),
      draw("text", { x: left + ((width - left - right) * seconds) / longest + 6, y: y + 15, fill: "var(--quiet)" },
        `${seconds < 10 ? seconds.toFixed(1) : whole(Math.round(seconds))} s, ${percent(seconds / total)}`));
  });
  return svg;
}
