// One live figure: sliders, linked Plotly panes that keep zoom and hidden legend entries across changes, a table.
// Streamlit calls the default export on mount and again on every new payload or theme, with the same parentElement
// and without the previous clean-up, so all state hangs on that element.

const INSTANCES = new WeakMap();

function create(parent) {
  const root = parent.querySelector(".live"), part = (name) => root.querySelector(`.${name}`);
  const S = { parent, root, controls: [], panes: [], lam: 1, turn: 0, payload: {} };
  Object.assign(S, { status: part("status"), spoken: part("spoken"), picture: part("picture"), coarse: part("coarse") });
  S.observer = new ResizeObserver(() => {
    clearTimeout(S.resize);
    S.resize = setTimeout(() => { if (S.Plotly && S.width !== root.clientWidth) { S.width = root.clientWidth; redraw(S); } }, 80);
  });
  S.observer.observe(root);
  // Another figure's sliders have moved, or frames have come: figures without sliders of their own follow.
  // Where only lam has moved, `curves` is false: that is for what shows lam alone.
  S.listener = (curves = true) => {
    if (!S.controls.length && S.panes.some((p) => (curves ? p.spec.follow : grouped(p) || tailed(p)))) schedule(S, curves);
  };
  store.listeners.add(S.listener);
  S.escape = (event) => escapeStandout(S, event);
  window.addEventListener("keydown", S.escape);
  wireStop(S);
  INSTANCES.set(parent, S);
  return S;
}

function redraw(S) {
  S.panes.forEach((p) => { p.must = true; });
  return draw(S);
}

function update(S, payload) {
  // The same content again: with another turn it is an answer that changes nothing on screen, else another theme.
  const same = payload.revision === S.payload.revision;
  const theme = same && payload.turn === S.payload.turn && payload.selected === S.payload.selected;
  S.payload = payload;
  takeControls(S, payload.controls);
  if (S.at) tellOthers(S, false);
  takeExplorer(S);
  syncPanes(S, payload.panes);
  const view = look(S);
  for (const p of S.panes) {
    const name = nameOf(S, p, view.at);
    if (theme || (!same && (p.frames !== payload.frames || !(name || view.local)))) p.must = true;
    else if (!same && name !== p.name) p.dirty = true;
  }
  takeStandout(S);
  makeLegend(S);
  makeTable(S);
}

function syncPanes(S, specs) {
  const ids = specs.map((p) => p.id).join();
  if (ids !== S.paneIds) {
    S.paneIds = ids;
    const kept = new Map(S.panes.map((p) => [p.spec.id, p]));
    S.panes = specs.map((spec) => kept.get(spec.id) ?? pane(S, spec));
    for (const p of kept.values()) if (!S.panes.includes(p)) leave(S, p);
    S.root.querySelector(".panes").replaceChildren(...S.panes.map((p) => p.box));
    S.panes.forEach((p) => {
      p.box.style.flexBasis = p.spec.wide ? "100%" : "";
      p.box.classList.toggle("small", p.spec.small);
      p.box.classList.toggle("half", p.spec.half);
      p.plot.style.minHeight = `${p.spec.square ? squareHeight(Math.min(p.box.clientWidth || 320, 620)) : p.spec.height}px`; // room taken before the first paint: no jump
    });
  }
  const link = specs.find((spec) => spec.link)?.link ?? "";
  if (link !== S.link) { S.link = link; forgetRings(S); }
  specs.forEach((spec, i) => {
    Object.assign(S.panes[i], { spec, compared: S.payload.table?.columns[0].key === "iou", truth: undefined, places: undefined });
    describe(S.panes[i]);
  });
}

export default function ({ data, parentElement, setStateValue }) {
  const S = INSTANCES.get(parentElement) || create(parentElement);
  S.set = setStateValue;
  const text = new TextDecoder().decode(data); // 12 characters of revision, then JSON
  update(S, { ...JSON.parse(text.slice(12)), revision: text.slice(0, 12) });
  answered(S);
  S.root.dataset.turn = String(S.payload.turn ?? "");
  if (S.Plotly) { draw(S); schedule(S, S.panes.some((p) => p.dirty)); }
  else findPlotly().then((P) => { S.Plotly = P; S.width = S.root.clientWidth; return draw(S); }).catch((e) => { S.status.textContent = e.message; });
  return () => {
    S.observer.disconnect();
    store.listeners.delete(S.listener);
    window.removeEventListener("keydown", S.escape);
    leaveStandout(S);
    [S.watchdog, S.dimmer, S.resize, S.rest, S.release, S.poll, S.telling, S.picking, S.trailing].forEach(clearTimeout);
    cancelAnimationFrame(S.frame);
    S.panes.forEach((p) => leave(S, p));
    INSTANCES.delete(parentElement);
  };
}
