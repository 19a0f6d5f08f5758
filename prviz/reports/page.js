"use strict";
// Draws the figures of one family at a time, and lets a checkpoint stand out in all of them and in the tables.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const figures = read("figures");
const all = (selector) => [...document.querySelectorAll(selector)];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = matchMedia("(prefers-color-scheme: dark)");
let pinned = null;
let shown = null;

function looks() {
  const hover = { bgcolor: css("--panel"), bordercolor: css("--line"), font: { color: css("--ink") } };
  return { "font.color": css("--ink"), hoverlabel: hover };
}

function draw(element) {
  const figure = figures[element.dataset.family][element.dataset.figure];
  const { "font.color": color, hoverlabel } = looks();
  const layout = { ...figure.layout, autosize: true, font: { ...figure.layout.font, color }, hoverlabel };
  layout.dragmode = false;
  if (layout.yaxis.scaleanchor) layout.height = Math.min(layout.height, element.clientWidth + 60); // no empty bands
  const config = { responsive: true, displaylogo: false, displayModeBar: false };
  return Plotly.newPlot(element, structuredClone(figure.data), layout, config).then(() => {
    element.on("plotly_hover", ({ points }) => mark(whose(points[0]) ?? pinned));
    element.on("plotly_unhover", () => mark(pinned));
    element.on("plotly_click", ({ points }) => pin(whose(points[0])));
    element.dataset.drawn = "yes";
  });
}

// The checkpoint that a point is of: its own, or its line's.
const whose = (point) => point.customdata ?? point.data.meta ?? null;

function pin(name) {
  pinned = name === pinned ? null : name;
  all("button[data-checkpoint]").forEach((button) => {
    button.setAttribute("aria-pressed", String(button.dataset.checkpoint === pinned));
  });
  mark(pinned);
}

function mark(name) {
  if (name === shown) return;
  shown = name;
  all("tr[data-checkpoint]").forEach((row) => row.classList.toggle("marked", row.dataset.checkpoint === name));
  all(".told").forEach((told) => { told.textContent = name === null ? told.dataset.hint : `Standing out: ${name}`; });
  all(".drawn[data-drawn]").forEach((element) => restyle(element, name));
}

function restyle(element, name) {
  const { data } = figures[element.dataset.family][element.dataset.figure];
  data.forEach((trace, at) => {
    if (trace.meta !== undefined) {
      const width = trace.line.width + (trace.meta === name ? 2.5 : 0);
      Plotly.restyle(element, { opacity: name === null || trace.meta === name ? 1 : 0.2, "line.width": width }, [at]);
    } else if (Array.isArray(trace.customdata)) {
      const size = trace.customdata.map((each) => trace.marker.size * (each === name ? 1.6 : 1));
      const opacity = trace.customdata.map((each) => (name === null || each === name ? 1 : 0.3));
      Plotly.restyle(element, { "marker.size": [size], "marker.opacity": [opacity] }, [at]);
    }
  });
}

function show(family) {
  all("section[data-family]").forEach((section) => { section.hidden = section.dataset.family !== family; });
  all("button[data-show]").forEach((button) => {
    button.setAttribute("aria-pressed", String(button.dataset.show === family));
  });
  const waiting = all(`.drawn[data-family="${family}"]:not([data-drawn])`);
  return Promise.all(waiting.map(draw)).then(() => {
    waiting.forEach((element) => restyle(element, shown));
    all(`.drawn[data-family="${family}"]`).forEach((element) => Plotly.Plots.resize(element));
  });
}

function save() {
  const text = document.getElementById("report").textContent;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "prviz-triage.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

all("button[data-show]").forEach((button) => button.addEventListener("click", () => show(button.dataset.show)));
all("button[data-checkpoint]").forEach((button) => {
  button.addEventListener("click", () => pin(button.dataset.checkpoint));
});
all("tr[data-checkpoint]").forEach((row) => {
  row.addEventListener("mouseenter", () => mark(row.dataset.checkpoint));
  row.addEventListener("mouseleave", () => mark(pinned));
});
document.getElementById("save").addEventListener("click", save);
dark.addEventListener("change", () => all(".drawn[data-drawn]").forEach((element) => Plotly.relayout(element, looks())));
const first = Object.keys(figures)[0];
if (first !== undefined) show(first);
