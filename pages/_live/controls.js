// Sliders with an exact field and named marks; bars.js has the other kind of control.
// spec: {id, label, values, value, resolved, marks: [{value, label}], number: {min, max, step} | null, angle, empty,
//        help, group, epoch}

function control(S, spec) {
  if (spec.kind === "bars") return barsControl(S, spec);
  const box = document.createElement("div");
  box.className = "control";
  box.innerHTML = '<span class="name"></span><span class="value"></span><input type="range" step="1"><span class="marks"></span>';
  const [name, holder, range, marks] = box.children;
  const c = { owner: S, spec, box, name, range, marks, held: false };
  c.readout = document.createElement(spec.number ? "input" : "output");
  holder.append(c.readout);
  range.oninput = () => { c.value = c.spec.values[+range.value]; changed(S, c, c.held ? RELEASE_MS : KEYS_MS); };
  // The hand may let go anywhere on the page.
  const release = () => {
    for (const kind of ["pointerup", "pointercancel"]) window.removeEventListener(kind, release, true);
    c.held = false;
    later(S);
  };
  range.onpointerdown = () => {
    c.held = true;
    for (const kind of ["pointerup", "pointercancel"]) window.addEventListener(kind, release, true);
  };
  if (spec.number) {
    c.readout.type = "number";
    c.readout.onchange = () => {
      const { min, max, step } = c.spec.number;
      const typed = Math.round(+c.readout.value / step) * step;
      if (c.readout.value === "") c.value = c.spec.empty ? null : c.value; // cleared: back to automatic, where there is one
      else if (Number.isFinite(typed)) c.value = +Math.min(max, Math.max(min, typed)).toFixed(6);
      changed(S, c);
    };
  }
  return c;
}

function refresh(c, spec) {
  Object.assign(c, { spec });
  if (spec.kind === "bars") return refreshBars(c, spec);
  c.name.textContent = spec.label;
  c.range.min = 0;
  c.range.max = spec.values.length - 1;
  c.range.setAttribute("aria-label", spec.label);
  c.readout.setAttribute("aria-label", `${spec.label}, exact value`);
  c.box.title = spec.help || "";
  if (spec.number) Object.assign(c.readout, { ...spec.number, placeholder: spec.empty });
  const labels = JSON.stringify(spec.marks);
  if (c.drawnMarks === labels) return;
  c.drawnMarks = labels;
  c.marks.replaceChildren(...spec.marks.map((mark) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = mark.label;
    button.dataset.value = String(mark.value);
    button.onclick = () => { c.value = mark.value; changed(c.owner, c); };
    return button;
  }));
}

// The value in numbers: a word ("sqrt") or the automatic one stands for what Python has resolved.
const numeric = (c) => (c.value === null || typeof c.value === "string" ? c.spec.resolved : c.value);

function show(c) {
  if (c.spec.kind === "bars") return showBars(c);
  const { values } = c.spec, value = numeric(c);
  let nearest = 0;
  values.forEach((v, i) => { if (Math.abs(v - value) < Math.abs(values[nearest] - value)) nearest = i; });
  c.range.value = nearest;
  const text = c.spec.angle ? `λ = ${shortNumber(angleToLam(c.value))}` : c.value === null ? c.spec.empty : shortNumber(value);
  // A seed has more digits than a shift should show.
  if (c.spec.number) c.readout.value = c.value === null ? "" : Number.isInteger(value) ? value : +value.toPrecision(6);
  else c.readout.textContent = text;
  c.range.setAttribute("aria-valuetext", text);
  for (const button of c.marks.children) button.setAttribute("aria-pressed", String(button.dataset.value === String(c.value)));
}

const controlOf = (S, id) => S.controls.find((c) => c.spec.id === id);
const lamControl = (S) => S.controls.find((c) => c.spec.angle);

// Where the sliders that frames know stand; a figure without sliders follows the one that has them.
function position(S) {
  const k = controlOf(S, "k"), bandwidth = controlOf(S, "bandwidth");
  return k ? { k: numeric(k), bandwidth: bandwidth?.value ?? null } : null;
}

// New specs from Python. A value that the hand has moved since it was asked for stays; every other one follows what
// Python served, and so does every one where Python says that it has replaced them (another problem, a preset).
function takeControls(S, specs) {
  const names = specs.map((spec) => spec.id).join();
  if (names !== S.names) {
    S.names = names;
    const kept = new Map(S.controls.map((c) => [c.spec.id, c]));
    S.controls = specs.map((spec) => kept.get(spec.id) || control(S, spec));
    layOut(S);
  }
  specs.forEach((spec, i) => {
    const c = S.controls[i], replaced = c.spec.epoch !== spec.epoch;
    refresh(c, spec);
    if (replaced || (c.value === c.asked && !(spec.angle && c.asked !== undefined))) c.value = c.asked = spec.value;
    if (!c.readout || document.activeElement !== c.readout) show(c);
  });
  S.at = S.payload.model ? null : position(S);
  S.lam = lamControl(S) ? angleToLam(lamControl(S).value) : 1;
}

const GROUPS = { painting: "Painting", estimator: "Estimator", data: "Data" };

// The data fold away: on a narrow screen they would push the figure out of sight of the hand that moves k.
function layOut(S) {
  const boxes = Object.entries(GROUPS).map(([group, title]) => {
    const members = S.controls.filter((c) => c.spec.group === group);
    const box = element("div", "", { class: "group", role: "group", "aria-label": title });
    box.append(...members.map((c) => c.box));
    if (!members.length || group !== "data") return members.length ? box : null;
    const fold = element("details", "", { class: "fold" });
    fold.open = S.folded === undefined ? matchMedia("(min-width: 641px)").matches : !S.folded;
    fold.ontoggle = () => { S.folded = !fold.open; };
    fold.append(element("summary", title), box);
    return fold;
  });
  S.root.querySelector(".controls").replaceChildren(...boxes.filter(Boolean));
}
