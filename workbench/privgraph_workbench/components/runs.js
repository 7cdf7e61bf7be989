// The list of runs as one table of links: a setting in a row, its seeds below it when somebody asks. Streamlit's own
// table is a canvas: its rows do not open, its links open another tab, and on a phone most of it is out of sight.
// Given are `rows` (`run_rows.rows`), the `chosen` ids, the order, and when the last tick was `heard`: a tick shows at
// once, and what the server says of ticks is believed from then on. Told are `ticked` (ids on, off) and `turned`
// (order). What people have written (tags, titles of graphs) becomes text nodes alone.

const COLUMNS = [
  { name: "setting", title: "Setting", order: "method" },
  { name: "graph", title: "Graph", order: "data", width: "17%" },
  { name: "unit", title: "Protects", width: "7.5rem" },
  { name: "epsilon", title: "Sound ε", order: "sound epsilon", width: "9rem" },
  { name: "accuracy", title: "Test score", order: "test accuracy", width: "15rem", note: " mean, 95% interval" },
  { name: "seeds", title: "Runs", width: "4.2rem" },
  { name: "when", title: "When", order: "newest", width: "7rem" },
];

function made(tag, properties = {}, ...children) {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...children.filter(Boolean));
  return one;
}

// The test id makes it one of the links that navigation.js follows without loading the page anew.
function link(run, text, ariaLabel = text) {
  const one = made("a", { href: `train?run=${encodeURIComponent(run)}`, textContent: text, ariaLabel });
  one.dataset.testid = "privgraphNavLink";
  return one;
}

function bar({ mean, low, high }) {
  const place = (left, width) => `left: ${100 * left}%; width: ${100 * width}%`;
  const part = (className, left, width) => made("span", { className, style: place(left, width) });
  const fill = mean !== null && part("fill", 0, mean);
  const reach = mean !== null && low !== null && part("reach", low, Math.max(high - low, 0.004));
  return made("span", { className: "track", ariaHidden: "true" }, fill, reach);
}

const date = (at) => at && new Date(1000 * at).toLocaleDateString();

class RunList {
  constructor(root) {
    this.root = root;
    this.open = new Set();
    this.chosen = new Set();
    this.at = 0;
    this.drawn = "";
  }

  update(data, setStateValue) {
    this.tell = setStateValue;
    if (data.heard >= this.at) this.chosen = new Set(data.chosen);
    const drawn = JSON.stringify([data.rows, data.ordered]);
    if (drawn !== this.drawn) {
      this.drawn = drawn;
      this.rows = data.rows;
      this.draw(data.ordered);
    }
    this.mark();
  }

  draw(ordered) {
    this.ticks = [];
    const caption = made("caption", { textContent: "Runs by setting, with privacy and accuracy" });
    const body = made("tbody", {}, ...this.rows.flatMap((row) => this.lines(row)));
    this.root.replaceChildren(made("table", {}, caption, this.head(ordered), body));
  }

  head(ordered) {
    const down = ["test accuracy", "newest"].includes(ordered);
    const cells = COLUMNS.map(({ name, title, order, note = "", width = "" }) => {
      const on = order === ordered || (name === "when" && ordered === "oldest");
      const turn = order === "newest" && ordered === "newest" ? "oldest" : order;
      const text = title + (on ? (down ? " ↓" : " ↑") : "");
      const onclick = () => this.tell("turned", { order: turn, at: Date.now() });
      const shown = order ? made("button", { type: "button", title: `Order by ${turn}`, onclick }, text) : text;
      const ariaSort = on ? (down ? "descending" : "ascending") : null;
      const small = note && made("span", { className: "note" }, note);
      return made("th", { className: name, scope: "col", style: `width: ${width}`, ariaSort }, shown, small);
    });
    const all = this.rows.flatMap((row) => row.runs.map((run) => run.id));
    const tick = made("td", { className: "tick" }, this.tick(all, "All on this page"));
    return made("thead", {}, made("tr", {}, tick, ...cells));
  }

  tick(ids, ariaLabel) {
    const box = made("input", { type: "checkbox", ariaLabel });
    box.onchange = () => {
      ids.forEach((id) => (box.checked ? this.chosen.add(id) : this.chosen.delete(id)));
      this.mark();
      this.at = Date.now();
      this.tell("ticked", { on: box.checked ? ids : [], off: box.checked ? [] : ids, at: this.at });
    };
    this.ticks.push({ box, ids });
    return box;
  }

  mark() {
    for (const { box, ids } of this.ticks) {
      const count = ids.filter((id) => this.chosen.has(id)).length;
      box.checked = count === ids.length && count > 0;
      box.indeterminate = count > 0 && count < ids.length;
      box.closest("tbody tr.setting")?.classList.toggle("chosen", count > 0);
    }
  }

  lines(row) {
    const ids = row.runs.map((run) => run.id);
    const several = ids.length > 1;
    const [name, whole] = [`${row.title}, ${row.told}`, `${row.title} ${row.told} on ${row.graph}`];
    const span = (className, ...children) => made("span", { className }, ...children);
    const small = (text) => text && span("small", text);
    // on a narrow page a row is a grid
    const cell = (name, ...children) => made("td", { className: name, style: `grid-area: ${name}` }, ...children);
    const epsilons = row.epsilons.map(({ kind, glyph, text, title, refuted, public: open }) => {
      const mark = made("span", { className: `mark ${kind}`, ariaHidden: "true" }, glyph);
      const claim = span(refuted ? "refuted" : "", mark, ` ${text}`);
      const more = [refuted && span("wrong", " refuted"), open && small("example")];
      return made("span", { className: "one", title: `${title} ${text}` }, claim, ...more);
    });
    const score = span("number", made("b", {}, row.accuracy), ` ${row.measure} ${row.spread}`);
    const parts = made("tr", { className: "runs", hidden: !this.open.has(ids[0]) });
    // A setting's title shows its runs, as the button that counts them does; that of a single run opens it.
    const unfold = () => {
      parts.hidden = !parts.hidden;
      this.open[parts.hidden ? "delete" : "add"](ids[0]);
      turn();
    };
    const button = (textContent, className, ariaLabel) =>
      made("button", { type: "button", textContent, className, ariaLabel, onclick: unfold });
    const more = button("", "", `${ids.length} runs of ${row.title}, one by one`);
    const title = several ? button(row.title, "title", `${whole}: its runs`) : link(ids[0], row.title, whole);
    const turn = () => {
      more.textContent = `${ids.length} ${parts.hidden ? "▸" : "▾"}`;
      if (several) more.ariaExpanded = title.ariaExpanded = String(!parts.hidden);
    };
    turn();
    const tags = [...row.marks, ...row.tags].map((text) => span("tag", text));
    const line = made(
      "tr",
      { className: "setting" },
      cell("tick", this.tick(ids, `Choose ${name}`)),
      cell("setting", title, ...tags, small(row.told)),
      cell("graph", row.graph, small(row.size)),
      cell("unit", row.unit),
      cell("epsilon", ...epsilons),
      cell("accuracy", score, bar(row)),
      cell("seeds", several ? more : "1"),
      cell("when", row.state && span(`state ${row.look}`, row.state), small(date(row.when))),
    );
    const each = row.runs.map(({ id, seed, text }) =>
      made("li", {}, this.tick([id], `Choose seed ${seed} of ${name}`), link(id, `seed ${seed}`), ` ${text}`),
    );
    parts.append(made("td", { className: "tick" }), made("td", { colSpan: COLUMNS.length }, made("ul", {}, ...each)));
    return several ? [line, parts] : [line];
  }
}

const lists = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".privgraph-runs");
  if (!lists.has(root)) lists.set(root, new RunList(root));
  lists.get(root).update(data, setStateValue);
}
