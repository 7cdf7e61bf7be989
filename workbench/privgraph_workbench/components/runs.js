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
  const { role, label, ...plain } = properties;
  const one = Object.assign(document.createElement(tag), plain);
  if (label) one.setAttribute("aria-label", label);
  if (role) one.setAttribute("role", role);
  one.append(...children.filter((child) => child !== null && child !== ""));
  return one;
}

// The test id makes it one of the links that navigation.js follows without loading the page anew.
function link(run, text, label = "") {
  const one = made("a", { href: `train?run=${encodeURIComponent(run)}`, textContent: text, label });
  one.dataset.testid = "privgraphNavLink";
  return one;
}

function bar(row) {
  const track = made("span", { className: "track" });
  track.setAttribute("aria-hidden", "true");
  if (row.mean === null) return track;
  const fill = made("span", { className: "fill" });
  fill.style.width = `${100 * row.mean}%`;
  track.append(fill);
  if (row.low !== null) {
    const reach = made("span", { className: "reach" });
    reach.style.left = `${100 * row.low}%`;
    reach.style.width = `${100 * Math.max(row.high - row.low, 0.004)}%`;
    track.append(reach);
  }
  return track;
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
    const body = made("tbody");
    this.rows.forEach((row) => body.append(...this.lines(row)));
    const table = made("table", {}, this.head(ordered), body);
    table.append(made("caption", { textContent: "Runs by setting, with privacy and accuracy" }));
    this.root.replaceChildren(table);
  }

  head(ordered) {
    const arrow = ["test accuracy", "newest"].includes(ordered) ? " ↓" : " ↑";
    const all = this.rows.flatMap((row) => row.runs.map((run) => run.id));
    const cells = COLUMNS.map(({ name, title, order, note, width = "" }) => {
      const cell = made("th", { className: name, scope: "col" });
      cell.style.width = width;
      const on = order === ordered || (name === "when" && ordered === "oldest");
      if (!order) cell.textContent = title;
      else {
        const turn = order === "newest" && ordered === "newest" ? "oldest" : order;
        const button = made("button", { type: "button", title: `Order by ${turn}` }, title + (on ? arrow : ""));
        button.onclick = () => this.tell("turned", { order: turn, at: Date.now() });
        cell.append(button, note ? made("span", { className: "note" }, note) : "");
      }
      if (on) cell.setAttribute("aria-sort", arrow === " ↓" ? "descending" : "ascending");
      return cell;
    });
    const tick = made("td", { className: "tick" }, this.tick(all, "All on this page"));
    return made("thead", {}, made("tr", {}, tick, ...cells));
  }

  tick(ids, label) {
    const box = made("input", { type: "checkbox", label });
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
    const marks = [...row.marks, ...row.tags].map((text) => made("span", { className: "tag" }, text));
    const cell = (name, ...children) => {
      const one = made("td", { className: name }, ...children);
      one.style.gridArea = name; // on a narrow page, where a row is a grid
      return one;
    };
    const small = (text) => (text ? made("span", { className: "small" }, text) : "");
    const epsilons = row.epsilons.map(({ kind, glyph, text, title, refuted, public: open }) => {
      const mark = made("span", { className: `mark ${kind}` }, glyph);
      mark.setAttribute("aria-hidden", "true");
      const claim = made("span", { className: refuted ? "refuted" : "" }, mark, ` ${text}`);
      return made("span", { className: "one", title: `${title} ${text}` }, claim, refuted ? made("span", { className: "wrong" }, " refuted") : "", small(open ? "example" : ""));
    });
    const accuracy = [
      made("span", { className: "number" }, made("b", {}, row.accuracy), row.measure ? ` ${row.measure}` : "", row.spread ? ` ${row.spread}` : ""),
      bar(row),
    ];
    const parts = made("tr", { className: "runs", hidden: !this.open.has(ids[0]) });
    // A setting's title shows its runs, as the button that counts them does; that of a single run opens it.
    const more = made("button", { type: "button", label: `${ids.length} runs of ${row.title}, one by one` });
    const title = several
      ? made("button", { type: "button", className: "title", textContent: row.title, label: `${row.title} ${row.told} on ${row.graph}: its ${ids.length} runs` })
      : link(ids[0], row.title, `${row.title} ${row.told} on ${row.graph}`);
    const turn = () => {
      more.textContent = `${ids.length} ${parts.hidden ? "▸" : "▾"}`;
      for (const one of several ? [more, title] : []) one.setAttribute("aria-expanded", String(!parts.hidden));
    };
    const fold = () => {
      parts.hidden = !parts.hidden;
      parts.hidden ? this.open.delete(ids[0]) : this.open.add(ids[0]);
      turn();
    };
    if (several) more.onclick = title.onclick = fold;
    turn();
    const name = `${row.title}, ${row.told}`;
    const line = made(
      "tr",
      { className: "setting" },
      cell("tick", this.tick(ids, `Choose ${name}`)),
      cell("setting", title, ...marks, small(row.told)),
      cell("graph", row.graph, small(row.size)),
      cell("unit", row.unit),
      cell("epsilon", ...epsilons),
      cell("accuracy", ...accuracy),
      cell("seeds", several ? more : "1"),
      cell("when", row.state ? made("span", { className: `state ${row.look}` }, row.state) : "", small(date(row.when))),
    );
    if (!several) return [line];
    const each = row.runs.map((run) => made("li", {}, this.tick([run.id], `Choose seed ${run.seed} of ${name}`), link(run.id, `seed ${run.seed}`), ` ${run.text}`));
    const list = made("td", { colSpan: COLUMNS.length }, made("ul", {}, ...each));
    parts.append(made("td", { className: "tick" }), list);
    return [line, parts];
  }
}


const lists = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".privgraph-runs");
  if (!lists.has(root)) lists.set(root, new RunList(root));
  lists.get(root).update(data, setStateValue);
}
