// The component's browser half. Plotly.react redraws; what the viewer did (zoom, drag mode, hidden traces) is
// kept here as `view` and applied to each figure that arrives, so no update can undo it. The view is also sent
// to the server as widget state, which hands it back when the component is mounted anew (change of theme).

const NOTE_DELAY = 200; // ms: a wheel or a drag sends many events, the server needs the last
const STEP = 0.1; // share of the visible range that an arrow key pans

let library; // one promise for the page: the script is loaded once however many plots there are

function load(path) {
  if (!library) {
    library = new Promise((resolve, reject) => {
      // The application may live below a path of its own: its first script knows where the root is.
      const own = document.querySelector('script[src*="static/js/"]');
      const root = own ? new URL("../../", own.src) : new URL("/", document.baseURI);
      const script = document.createElement("script");
      script.src = new URL(path, root).href;
      script.onload = () => resolve(window.Plotly);
      script.onerror = () => {
        library = undefined;
        reject(new Error("the plotting script could not be loaded from this server"));
      };
      document.head.appendChild(script);
    });
  }
  return library;
}

const NARROW = 560; // pixels: below, as on a phone, texts are broken and panels stand one below the other
const BETWEEN = 96; // pixels between stacked panels: ticks and title of the one, heading of the next
const TEXT = 6.9; // pixels of a letter, about, of the sizes that figures write in
const LINE = 19; // pixels of a line
const NAMED = 0.4; // share of a narrow page that names of categories may take
const SNUG = 6; // pixels below a legend
const CAP = 11; // pixels by which plotly sets a title of several lines higher than one of a single line

let described = 0; // plots: each has a text of its own that says what keys do
const KEYS =
  "Keys: plus and minus zoom, arrows pan, 0 resets, 1 to 9 hide or show an entry of the legend, s saves an SVG.";

const uid = (trace, index) => trace.uid ?? trace.name ?? String(index);
const visibility = (trace) => trace.visible ?? true;
const axesOf = (layout) => Object.keys(layout).filter((name) => /^[xy]axis\d*$/.test(name));

function withView(figure, view) {
  // Plotly writes into what it is given, and the figure must stay as it came: hence the copies.
  const layout = { ...structuredClone(figure.layout), autosize: true, uirevision: undefined };
  delete layout.width;
  for (const [axis, range] of Object.entries(view.axes)) {
    if (layout[axis]) layout[axis] = { ...layout[axis], range: [...range], autorange: false };
  }
  if (view.dragmode) layout.dragmode = view.dragmode;
  const data = figure.data.map((trace, index) => {
    const chosen = view.visible[uid(trace, index)];
    return chosen === undefined ? { ...trace } : { ...trace, visible: chosen };
  });
  return { data, layout };
}

const broken = (text, pixels) => {
  const most = Math.max(12, Math.floor(pixels / TEXT));
  const lines = String(text ?? "").split("<br>").flatMap((line) => {
    const found = [""];
    for (const word of line.split(" ")) {
      const last = found[found.length - 1];
      if (last && last.length + 1 + word.length > most) found.push(word);
      else found[found.length - 1] = last ? `${last} ${word}` : word;
    }
    return found;
  });
  return { text: lines.join("<br>"), more: lines.length - String(text ?? "").split("<br>").length };
};

// Warnings were broken for a page of one width: each is one line again, and is broken anew.
const whole = (text) => text.replace(/<br>(?!⚠)/g, " ");

function roomy({ data, layout }, width) {
  // The same figure on a wide page: a title of an axis never reaches the plot beside it, and no warning is cut off.
  const copy = structuredClone(layout);
  const inner = copy.height - copy.margin.t - copy.margin.b;
  let [above, below] = [0, 0];
  for (const name of axesOf(copy)) {
    if (!copy[name].title?.text) continue;
    const [from, to] = copy[name].domain ?? [0, 1];
    const { text, more } = broken(copy[name].title.text, (to - from) * (name[0] === "x" ? width - 80 : inner));
    copy[name].title.text = text;
    if (name[0] === "x") below = Math.max(below, more * LINE);
  }
  const alone = axesOf(copy).filter((name) => name[0] === "x").length === 1;
  let heading = 0; // pixels that the heading of a single panel grows by: what stands above it goes up
  for (const note of copy.annotations ?? []) {
    if (!alone || note.xref !== "x domain" || !note.align) continue;
    const before = note.text.split("<br>").length;
    note.text = broken(note.text.replaceAll("<br>", " "), width - 80).text;
    heading = Math.max(heading, (note.text.split("<br>").length - before) * LINE);
  }
  above += heading;
  for (const note of copy.annotations ?? []) {
    if (note.xref !== "paper" || !note.align) continue;
    note.yshift = (note.yshift ?? 0) + heading;
    const sideways = copy.yaxis?.type === "category" ? 200 : 80; // names of categories push the left edge in
    const before = note.text.split("<br>").length;
    note.text = broken(whole(note.text), width - sideways).text;
    above += (note.text.split("<br>").length - before) * LINE;
  }
  if (above + below === 0) return { data, layout };
  copy.margin = { ...copy.margin, t: copy.margin.t + above, b: copy.margin.b + below };
  copy.height += above + below;
  if (copy.legend) copy.legend.y -= below / inner;
  return { data, layout: copy };
}

function fitted({ data, layout }, width) {
  // The same figure for a narrow page. Whatever needs more room gets it from the height.
  if (width >= NARROW) return roomy({ data, layout }, width);
  const copy = structuredClone(layout);
  const inner = copy.height - copy.margin.t - copy.margin.b;
  const names = axesOf(copy).filter((name) => name[0] === "x");
  const columns = new Set(names.map((name) => copy[name].domain?.[0] ?? 0)).size;
  let each = columns > 1 ? inner / Math.ceil(names.length / columns) : inner;
  let [above, left] = [0, 0]; // left: pixels that names of categories take
  for (const name of axesOf(copy)) {
    if (name[0] !== "y" || copy[name].type !== "category") continue;
    const lines = copy[name].categoryarray.map((words) => broken(words, NAMED * width).text);
    copy[name] = { ...copy[name], tickmode: "array", tickvals: copy[name].categoryarray, ticktext: lines };
    const pieces = lines.map((words) => words.split("<br>"));
    left = Math.max(left, TEXT * Math.max(...pieces.flat().map((words) => words.length)));
    const needed = pieces.length * (LINE * Math.max(...pieces.map((words) => words.length)) + 6);
    if (columns > 1 || names.length === 1) each = Math.max(each, needed);
  }
  const widen = (holder, pixels) => {
    const { text, more } = broken(holder.text, pixels);
    holder.text = text;
    return more * LINE;
  };
  if (copy.title?.text) {
    const more = widen(copy.title, (width - 175) * 0.85); // beside it stand the buttons
    above += more;
    if (more) copy.title.pad = { ...copy.title.pad, t: (copy.title.pad?.t ?? 0) + CAP };
  }
  let [heading, under] = [1, 0]; // lines of the longest heading of a panel, pixels of what is broken below an axis
  let raised = 0; // pixels that the first panel's heading has grown by: what stands above it goes up
  for (const note of copy.annotations ?? []) {
    if (!note.align) continue; // labels of stages are short
    const before = note.text.split("<br>").length; // lines that the figure has room for
    const ofPanel = / domain$/.test(note.xref);
    note.text = ofPanel ? note.text.replaceAll("<br>", " ") : whole(note.text); // here each has the whole page
    widen(note, width - 32);
    // long names of categories push the left edge in, but not the right one: there is the whole width from there
    if (note.xref === "paper" && note.xanchor === "left" && note.x === 0) [note.x, note.xanchor] = [1, "right"];
    const lines = note.text.split("<br>").length;
    if (ofPanel) heading = Math.max(heading, lines);
    if (note.xref === "paper" || /^x2? domain$/.test(note.xref)) above += Math.max(0, lines - before) * LINE;
    if (note.xref === "x domain") raised = Math.max(raised, (lines - before) * LINE);
  }
  let entries = 0; // pixels of the legend, whose entries stand one below the other
  const shown = data.map((trace) => {
    const { text, more } = broken(trace.name, width - Math.max(100, left + 80));
    if (copy.showlegend && trace.showlegend !== false) entries += (1 + more) * LINE + 5;
    return { ...trace, name: text };
  });
  for (const note of copy.annotations ?? []) {
    if (note.align && note.xref === "paper") note.yshift = (note.yshift ?? 0) + raised;
  }
  for (const name of axesOf(copy)) {
    const ticks = copy[name].tickvals;
    if (name[0] === "x" && copy[name].type === "log" && ticks?.length > 6) {
      const tens = ticks.map((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9); // ten of them would be turned aside
      const kept = tens.filter(Boolean).length > 1 ? tens : ticks.map((_, place) => place % 2 === 0);
      copy[name].ticktext = copy[name].ticktext.filter((_, place) => kept[place]);
      copy[name].tickvals = ticks.filter((_, place) => kept[place]);
    }
    if (!copy[name].title?.text) continue;
    const more = widen(copy[name].title, name[0] === "x" ? width - Math.max(90, left - 40) : each - 20);
    if (name[0] === "x") under = Math.max(under, more);
  }
  const between = BETWEEN + (heading - 1) * LINE + under;
  let grownBy = names.length === 1 ? each - inner : 0;
  if (columns > 1) {
    const now = names.length * each + (names.length - 1) * between;
    grownBy = now - inner;
    names.forEach((name, place) => {
      const other = `yaxis${name.slice(5)}`;
      const top = 1 - (place * (each + between)) / now;
      copy[name].domain = [0, 1];
      copy[other].domain = [Math.max(0, top - each / now), top];
      if (copy[other].showticklabels === false) delete copy[other].showticklabels; // nobody to the left names them now
    });
  }
  const below = Math.max(0, entries + 64 + under - copy.margin.b);
  copy.margin = { ...copy.margin, t: copy.margin.t + above, b: copy.margin.b + below };
  copy.height += above + below + grownBy;
  if (copy.legend) copy.legend.y = -(64 + under) / (inner + grownBy);
  return { data: shown, layout: copy };
}

function snug(layout, full) {
  // The same layout with as much room below its axes as the legend takes: how many rows it has is known once drawn.
  const legend = full.legend;
  if (!full.showlegend || !legend?._height) return null;
  const inner = layout.height - layout.margin.t - layout.margin.b;
  const spare = Math.round(layout.margin.b + layout.legend.y * inner - legend._height - SNUG);
  if (Math.abs(spare) < SNUG) return null;
  const margin = { ...layout.margin, b: layout.margin.b - spare };
  return { ...layout, height: layout.height - spare, margin };
}

class LivePlot {
  constructor(root) {
    this.root = root;
    const id = `privgraph-keys-${(described += 1)}`;
    root.innerHTML = `<div role="group" tabindex="0" aria-describedby="${id}"></div><p id="${id}" hidden>${KEYS}</p>`;
    this.plot = root.firstChild;
    this.view = { axes: {}, visible: {}, dragmode: null };
    this.told = JSON.stringify(this.view);
    this.busy = Promise.resolve();
    this.held = false;
    this.started = false;
    this.own = new AbortController(); // ends all that is listened to
    const on = (target, names, hear, capture = false) =>
      names.forEach((name) => target.addEventListener(name, hear, { capture, signal: this.own.signal }));
    on(this.plot, ["keydown"], (event) => this.key(event));
    // A redraw in the middle of a drag would end it: wait until the pointer is let go.
    on(this.plot, ["pointerdown"], () => (this.held = true), true);
    const release = () => {
      if (this.held) setTimeout(() => this.redraw(), 50);
      this.held = false;
    };
    on(window, ["pointerup", "pointercancel"], release, true);
    // A page that is left says no more: the server would draw it again, in place of the one that was asked for.
    on(window, ["popstate"], () => clearTimeout(this.timer));
    // The system's theme has turned: the server draws figures in the page's colours, and is asked to do so again.
    const turn = () => setTimeout(() => !this.closed && this.setStateValue?.("turned", { at: Date.now() }), 300);
    on(window.matchMedia("(prefers-color-scheme: dark)"), ["change"], turn);
    this.observer = new ResizeObserver(() => {
      if (!this.started || this.held) return;
      const now = this.root.clientWidth;
      if (now !== this.width && Math.min(now, this.width) < NARROW) this.redraw();
      else this.Plotly.Plots.resize(this.plot);
    });
    this.observer.observe(root);
  }

  update(data, setStateValue) {
    this.setStateValue = setStateValue;
    if (!this.figure && data.view) this.view = { axes: {}, visible: {}, dragmode: null, ...data.view };
    if (!this.figure) this.told = JSON.stringify(this.view);
    this.figure = data.figure;
    this.name = data.name;
    if (!this.started) this.root.style.minHeight = `${data.height}px`;
    this.click = data.click;
    this.plot.setAttribute("aria-label", data.summary);
    this.busy = this.busy
      .then(() => load(data.script))
      .then((Plotly) => {
        this.Plotly = Plotly;
        return this.held ? undefined : this.draw();
      })
      .catch((error) => {
        this.root.textContent = `This figure cannot be drawn: ${error.message}.`;
      });
  }

  redraw() {
    if (this.Plotly && !this.closed) this.busy = this.busy.then(() => this.draw());
  }

  async draw() {
    if (this.closed) return;
    this.width = this.root.clientWidth;
    const { data, layout } = fitted(withView(this.figure, this.view), this.width);
    this.root.style.minHeight = `${layout.height}px`;
    await this.Plotly.react(this.plot, data, layout, this.config());
    const closer = snug(layout, this.plot._fullLayout);
    if (closer && !this.closed) {
      this.root.style.minHeight = `${closer.height}px`;
      await this.Plotly.react(this.plot, data, closer, this.config());
    }
    if (this.started) return;
    this.started = true;
    this.plot.on("plotly_relayout", (change) => this.relayout(change));
    this.plot.on("plotly_restyle", () => this.restyle());
    this.plot.on("plotly_click", (event) => this.clicked(event));
    this.plot.on("plotly_doubleclick", () => setTimeout(() => this.reset(), 0));
  }

  config() {
    const reset = { name: "reset", title: "Reset axes", icon: this.Plotly.Icons.home, click: () => this.reset() };
    return {
      displaylogo: false,
      displayModeBar: true,
      doubleClick: false, // our own reset returns to the figure's own axes, not to those first seen
      modeBarButtons: [["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", reset]],
      toImageButtonOptions: { format: "svg", filename: this.name },
    };
  }

  relayout(change) {
    for (const name of Object.keys(change)) {
      const [axis, what] = name.split(".");
      if (!/^[xy]axis\d*$/.test(axis) || !what) continue;
      if (what.startsWith("range")) this.view.axes[axis] = [...this.plot._fullLayout[axis].range];
      else if (what === "autorange" && change[name]) delete this.view.axes[axis];
    }
    if (change.dragmode) this.view.dragmode = change.dragmode;
    this.note();
  }

  clicked(event) {
    const key = event.points.map((point) => point.customdata).find(Boolean);
    if (this.click && key) this.setStateValue("clicked", { key, at: Date.now() });
  }

  restyle() {
    this.plot.data.forEach((trace, index) => {
      const own = visibility(this.figure.data[index] ?? {});
      const now = visibility(trace);
      if (now === own) delete this.view.visible[uid(trace, index)];
      else this.view.visible[uid(trace, index)] = now;
    });
    this.note();
  }

  reset() {
    this.view.axes = {};
    this.note();
    this.redraw();
  }

  note() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const view = JSON.stringify(this.view);
      if (this.closed || view === this.told) return; // Plotly reports its own sizing, too
      this.told = view;
      this.setStateValue("view", structuredClone(this.view));
    }, NOTE_DELAY);
  }

  key(event) {
    if (event.target !== this.plot || event.ctrlKey || event.metaKey || event.altKey || !this.started) return;
    const moves = { ArrowLeft: ["x", -1], ArrowRight: ["x", 1], ArrowDown: ["y", -1], ArrowUp: ["y", 1] };
    if (event.key in moves) this.shift(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(0.8);
    else if (event.key === "-") this.zoom(1.25);
    else if (event.key === "0") this.reset();
    else if (event.key === "s") this.Plotly.downloadImage(this.plot, { format: "svg", filename: this.name });
    else if (/^[1-9]$/.test(event.key)) this.toggle(Number(event.key) - 1);
    else return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has shortcuts of its own on single letters
  }

  move(letters, change) {
    const full = this.plot._fullLayout;
    const numeric = (name) => ["linear", "log"].includes(full[name].type);
    const axes = axesOf(full).filter((name) => letters.includes(name[0]) && numeric(name));
    const ranges = axes.map((name) => [`${name}.range`, change(...full[name].range)]);
    this.Plotly.relayout(this.plot, Object.fromEntries(ranges));
  }

  shift(letter, sign) {
    this.move(letter, (low, high) => [low, high].map((end) => end + sign * STEP * (high - low)));
  }

  zoom(factor) {
    this.move("xy", (low, high) => [-1, 1].map((sign) => (low + high) / 2 + (sign * factor * (high - low)) / 2));
  }

  toggle(place) {
    const entries = this.plot.data.filter((trace) => trace.showlegend !== false);
    const entry = entries[place];
    if (!entry) return;
    const group = entry.legendgroup;
    const places = this.plot.data.flatMap((trace, index) =>
      trace === entry || (group && trace.legendgroup === group) ? [index] : [],
    );
    this.Plotly.restyle(this.plot, { visible: visibility(entry) === true ? "legendonly" : true }, places);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.observer.disconnect();
    this.own.abort();
    if (this.started) this.Plotly.purge(this.plot);
  }
}

const plots = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".privgraph-live-plot");
  if (!plots.has(root)) plots.set(root, new LivePlot(root));
  plots.get(root).update(data, setStateValue);
  return () => {
    plots.get(root)?.close();
    plots.delete(root);
  };
}
