// The playground's picture. The server sends a world and its settings (`play` and `drawing` of the page); noise is
// drawn here, a release a frame, and the guesses that follow from it, by the arithmetic of play/world.py, against which
// it is tested. Told is who was clicked (`picked`; null: nobody any more), and nothing else.

const GROUPS = 3;
const EVERY = 350; // milliseconds between two releases while it plays
const RIM = 1.65; // of an arc around a mark, in sizes of the mark: outside of all three shapes
const FADED = 0.3; // how strongly those are drawn of whom both worlds publish the same
const SEEN = 5; // releases from which on it is told how often guesses change

// An ordinary generator with a seed (mulberry32), so that a class sees the same noise: for pictures, and for nothing
// that is to be kept secret.
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function laplace(random, scale) {
  const at = random() - 0.5;
  return -scale * Math.sign(at) * Math.log(Math.max(1e-300, 1 - 2 * Math.abs(at)));
}

function unit(rows) {
  return rows.map((row) => {
    const norm = row.reduce((sum, one) => sum + Math.abs(one), 0);
    return norm > 0 ? row.map((one) => one / norm) : row.map(() => 0);
  });
}

// One release of a world, and what it guesses of everybody.
export function release({ people, hints, near, b, hops }, random) {
  let rows = hints.map((hint) => Array.from({ length: GROUPS }, (_, group) => (group === hint ? 1 : 0)));
  const told = Array.from({ length: people }, () => Array(GROUPS).fill(0));
  for (let hop = 0; hop < hops; hop += 1) {
    const units = unit(rows);
    rows = near.map((friends) => {
      const sum = Array(GROUPS).fill(0);
      for (const friend of friends) for (let group = 0; group < GROUPS; group += 1) sum[group] += units[friend][group];
      return b > 0 ? sum.map((one) => one + laplace(random, b)) : sum;
    });
    unit(rows).forEach((row, who) => row.forEach((one, group) => (told[who][group] += one)));
  }
  return told.map((row) => row.indexOf(Math.max(...row)));
}

function world(data, gone) {
  const hints = [...data.hints];
  let friends = data.friends;
  if (gone && gone.friend === undefined) {
    if (data.protects !== "edges") hints[gone.who] = -1;
    friends = friends.filter((pair) => !pair.includes(gone.who));
  } else if (gone) {
    friends = friends.filter((pair) => !(pair.includes(gone.who) && pair.includes(gone.friend)));
  }
  const near = hints.map(() => []);
  for (const [one, other] of friends) {
    near[one].push(other);
    near[other].push(one);
  }
  return { people: hints.length, hints, friends, near, b: data.b, hops: data.hops, gone: gone ?? null };
}

// Whose published numbers can differ between the two worlds: who is taken out and their friends, or the two ends of a
// friendship, and with each further hop the friends of these.
export function reached({ gone, hops }, near) {
  const found = new Set(gone.friend === undefined ? [gone.who, ...near[gone.who]] : [gone.who, gone.friend]);
  for (let hop = 1; hop < hops; hop += 1) for (const one of [...found]) for (const friend of near[one]) found.add(friend);
  return found;
}

const percent = (share) => `${(100 * share).toFixed(0)}%`;
const share = (told, groups) => told.filter((group, who) => group === groups[who]).length / told.length;

const STAGE = '<figure><figcaption></figcaption><canvas role="img"></canvas></figure>';
const FRAME = `<div class="bar"><button type="button" class="main"></button>
  <button type="button">Draw noise once</button><p class="told" role="status"></p></div>
  <div class="worlds">${STAGE}${STAGE}</div><div class="key"></div>`;

class World {
  constructor(root) {
    this.root = root;
    this.playing = false;
    root.innerHTML = FRAME;
    [this.button, this.once] = root.querySelectorAll("button");
    [this.told, this.key] = [root.querySelector(".told"), root.querySelector(".key")];
    this.button.onclick = () => this.play(!this.playing);
    this.once.onclick = () => {
      this.play(false);
      this.step();
    };
    this.stages = [...root.querySelectorAll("figure")].map((figure, place) => {
      const [caption, canvas] = figure.children;
      canvas.onclick = (event) => this.click(event, canvas);
      canvas.onpointermove = (event) => {
        const who = this.under(event, canvas);
        canvas.title = who === null ? "" : this.about(who, place);
      };
      return { figure, caption, canvas };
    });
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(root);
  }

  update(data, setStateValue) {
    this.setStateValue = setStateValue;
    const before = this.data;
    this.data = data;
    this.root.dataset.theme = data.theme;
    const settled = JSON.stringify({ ...data, theme: "", colours: "" });
    if (settled !== this.settled) {
      this.settled = settled;
      this.both = [world(data, null), ...(data.gone ? [world(data, data.gone)] : [])];
      this.plain = this.both.map((one) => release({ ...one, b: 0 }, () => 0.5));
      this.reached = data.gone ? reached(data, this.both[0].near) : null;
      this.frame = 0;
      this.counts = this.both.map(() => ({ changed: Array(data.groups.length).fill(0), right: 0 }));
      this.shown = this.plain;
      this.step();
    }
    this.button.hidden = this.once.hidden = !(data.b > 0);
    if (!before || !this.button.textContent || !(data.b > 0)) this.play(false);
    this.draw();
  }

  play(on) {
    this.playing = on;
    this.button.textContent = on ? "Pause" : "Play: draw noise again and again";
    this.button.setAttribute("aria-pressed", String(on));
    this.told.setAttribute("aria-live", on ? "off" : "polite");
    clearInterval(this.timer);
    if (on) this.timer = setInterval(() => this.step(), EVERY);
  }

  step() {
    this.frame += 1;
    // both worlds get the same noise: what differs between them is the person, and not luck
    this.shown = this.both.map((one) => release(one, generator(this.data.seed * 1000003 + this.frame)));
    this.shown.forEach((told, place) => {
      const count = this.counts[place];
      count.right += share(told, this.data.groups);
      told.forEach((group, who) => (count.changed[who] += Number(group !== this.plain[place][who])));
    });
    this.draw();
  }

  // Who is drawn where the pointer is; null where nobody is near.
  under(event, canvas) {
    const box = canvas.getBoundingClientRect();
    const at = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    const far = this.data.places.map(([x, y]) => Math.hypot(x - at[0], (y - at[1]) * this.data.aspect));
    const who = far.indexOf(Math.min(...far));
    return far[who] < 0.04 ? who : null;
  }

  click(event, canvas) {
    const who = this.under(event, canvas);
    if (who !== null) this.setStateValue("picked", { who: this.data.gone?.who === who ? null : who, at: Date.now() });
  }

  about(who, place) {
    const { near, hints } = this.both[place];
    const group = (one) => `group ${"ABC"[one]}`;
    const guess = this.shown[place][who];
    const right = guess === this.data.groups[who] ? "right" : "wrong";
    return `${this.data.names[who]}: truly ${group(this.data.groups[who])}, guessed ${group(guess)} (${right})\n${
      near[who].length} friends; own hint: ${hints[who] < 0 ? "none" : group(hints[who])}`;
  }

  draw() {
    if (!this.data || !this.root.clientWidth) return;
    const { colours, names, gone, protects } = this.data;
    const [who, friend] = [names[gone?.who], names[gone?.friend]];
    const all = protects === "edges" ? `${who}'s friendships` : who;
    const whose = friend ? `the friendship of ${who} and ${friend}` : all;
    this.stages.forEach((stage, place) => {
      stage.figure.hidden = place >= this.both.length;
      if (stage.figure.hidden) return;
      stage.caption.textContent = gone ? `${place ? "Without" : "With"} ${whose}` : "";
      this.picture(stage.canvas, place, colours);
      stage.canvas.setAttribute("aria-label", this.said(place));
    });
    this.told.textContent = `${this.said(0)}${this.differ()}`;
    this.legend(colours);
  }

  said(place) {
    const { groups, b } = this.data;
    const [bare, now] = [this.plain, this.shown].map((told) => percent(share(told[place], groups)));
    const changed = percent(1 - share(this.shown[place], this.plain[place]));
    const average = percent(this.counts[place].right / this.frame);
    const often = this.frame >= SEEN ? ` On average over ${this.frame} draws: ${average}.` : "";
    const noisy = ` In this draw: ${now}; the noise has changed ${changed} of all guesses.${often}`;
    return `Guessed right (mark and place agree) without noise: ${bare}.${b > 0 ? noisy : ""} Guessing blindly: 33%.`;
  }

  differ() {
    if (this.both.length < 2) return this.data.b > 0 ? "" : " There is no noise to draw.";
    const draw = this.data.b > 0 ? "In this draw" : "Without noise";
    const others = this.shown[0].filter((group, who) => group !== this.shown[1][who]).length;
    return ` ${draw} ${others} of ${this.shown[0].length} guesses differ between the two worlds.`;
  }

  picture(canvas, place, colours) {
    const ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth || 300;
    const height = Math.round(width * this.data.aspect);
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    Object.assign(pen, { fillStyle: colours.surface, globalAlpha: 1 });
    pen.fillRect(0, 0, width, height);
    const [one, at] = [this.both[place], this.data.places.map(([x, y]) => [x * width, y * height])];
    const { protects, gone, groups } = this.data;
    const stroke = (colour, lineWidth, path, dash = [], alpha = 1) => {
      Object.assign(pen, { strokeStyle: colour, lineWidth, globalAlpha: alpha });
      pen.setLineDash(dash);
      pen.beginPath();
      path();
      pen.stroke();
      pen.setLineDash([]);
    };
    const lines = (pairs) => () => pairs.forEach(([from, to]) => (pen.moveTo(...at[from]), pen.lineTo(...at[to])));
    const shy = gone ? 0.5 : 1; // so that what is taken out stands out
    if (protects === "edges") stroke(colours.sound, 1.4, lines(one.friends), [], 0.45 * shy);
    else stroke(colours.edge, 0.8, lines(one.friends), [], 0.55 * shy);
    const dash = place ? [4, 4] : [];
    const taken = gone && (gone.friend === undefined ? this.both[0].near[gone.who] : [gone.friend]);
    if (gone) stroke(colours.warning, 2.5, lines(taken.map((friend) => [gone.who, friend])), dash);
    const size = Math.max(3.2, Math.min(8, (width / (gone ? 70 : 90)) * Math.sqrt(90 / groups.length)));
    this.shown[place].forEach((group, who) => {
      const [x, y] = at[who];
      const shade = this.reached === null || this.reached.has(who) ? 1 : FADED;
      const ring = (radius, from = 0, to = 2 * Math.PI) => () => pen.arc(x, y, size * radius, from, to);
      if (protects === "people") {
        pen.beginPath();
        ring(1.75)();
        Object.assign(pen, { fillStyle: colours.sound, globalAlpha: 0.16 * shade });
        pen.fill();
      }
      const away = place && one.hints[who] < 0;
      shape(pen, group, x, y, size);
      Object.assign(pen, { fillStyle: away ? colours.surface : colours.groups[group], globalAlpha: shade });
      pen.fill();
      const unsure = this.counts[place].changed[who] / Math.max(1, this.frame);
      const arc = ring(RIM, -Math.PI / 2, (2 * unsure - 0.5) * Math.PI);
      if (unsure > 0 && !away) stroke(colours.text, Math.max(1.4, size * 0.3), arc, [], shade);
      if (gone && gone.who === who) stroke(colours.warning, 2.5, ring(2.1), dash);
    });
  }

  legend(colours) {
    const { protects, b, gone } = this.data;
    const path = ["M1 6a5 5 0 1 0 10 0a5 5 0 1 0 -10 0", "M1.5 1.5h9v9h-9z", "M6 1L11 10.5H1z"];
    const entry = (drawn, words, box = "-3.5 -3.5 19 19", wide = 15) =>
      `<span><svg width="${wide}" height="15" viewBox="${box}" aria-hidden="true">${drawn}</svg>${words}</span>`;
    const mark = (group) => `<path d="${path[group]}" fill="${colours.groups[group]}"/>`;
    const ring = `<path d="M6 -2a8 8 0 1 1 -8 8" fill="none" stroke="${colours.text}" stroke-width="2"/>`;
    const line = (stroke, dash, words) => {
      const path = `<path d="M0 5H22" stroke="${stroke}" stroke-width="2.5" stroke-dasharray="${dash}"/>`;
      return entry(path, words, "0 0 22 10", 22);
    };
    const halo = `<circle cx="6" cy="6" r="9" fill="${colours.sound}" opacity="0.3"/>`;
    const hidden = {
      edges: line(colours.sound, "none", "a friendship, which the noise hides"),
      people: entry(halo, "halo: a person, whom the noise hides"),
    };
    const drawn = [
      "<span>place: the true group, A left, B at the top, C right</span>",
      ...[0, 1, 2].map((group) => entry(mark(group), `guessed: group ${"ABC"[group]}`)),
      b > 0 ? hidden[protects] : "",
      gone ? line(colours.warning, "none", "what is taken out") + line(colours.warning, "4 4", "where it was") : "",
      b > 0 ? entry(mark(0) + ring, "arc: share of draws in which the noise changed this guess") : "",
      this.reached ? "<span>faded: published alike in both worlds</span>" : "",
    ].join("");
    if (drawn !== this.drawn) this.key.innerHTML = this.drawn = drawn; // numbers and fixed words alone
  }

  close() {
    clearInterval(this.timer);
    this.observer.disconnect();
  }
}

function shape(pen, group, x, y, size) {
  pen.beginPath();
  if (group === 0) pen.arc(x, y, size, 0, 2 * Math.PI);
  else if (group === 1) pen.rect(x - size * 0.9, y - size * 0.9, size * 1.8, size * 1.8);
  else {
    pen.moveTo(x, y - size * 1.15);
    pen.lineTo(x + size * 1.1, y + size * 0.85);
    pen.lineTo(x - size * 1.1, y + size * 0.85);
    pen.closePath();
  }
}

const drawn = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".privgraph-world");
  if (!drawn.has(root)) drawn.set(root, new World(root));
  drawn.get(root).update(data, setStateValue);
  root.privgraphWorld = drawn.get(root); // for whoever tests it
  return () => {
    drawn.get(root)?.close();
    drawn.delete(root);
  };
}
