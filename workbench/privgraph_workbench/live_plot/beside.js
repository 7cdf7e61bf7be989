// Where the box stands that says what is pointed at. Plotly sets it beside its mark, over the neighbours: here it stands
// in that corner around the mark in which it hides fewest others.

const AWAY = 14; // pixels between a mark and the box that is about it
const NEAR = 24; // pixels from the pointer within which a mark is the one that is meant
const CORNERS = [[1, 1], [-1, -1], [1, -1], [-1, 1]]; // curves rise to the right: below and right of a mark is most room

const middle = (box) => [(box.left + box.right) / 2, (box.top + box.bottom) / 2];

class Beside {
  constructor(plot) {
    this.plot = plot;
    this.at = [0, 0];
    this.follow = (event) => (this.at = [event.clientX, event.clientY]);
    for (const name of ["pointermove", "pointerdown"]) plot.addEventListener(name, this.follow, true);
    // Plotly places a box anew at each move of the pointer, and says so only when it is about another mark.
    this.observer = new MutationObserver((changes) => {
      if (changes.some((change) => change.target.classList?.contains("hovertext"))) this.place();
      this.observer.takeRecords();
    });
    this.observer.observe(plot, { subtree: true, attributes: true, attributeFilter: ["transform"] });
  }

  place() {
    const boxes = this.plot.querySelectorAll(".hoverlayer .hovertext");
    const path = boxes[0]?.querySelector("path");
    const moved = /translate\(([-\d.e]+)[ ,]+([-\d.e]+)\)/.exec(boxes[0]?.getAttribute("transform") ?? "");
    if (boxes.length !== 1 || !path || !moved) return;
    const drawn = path.getBBox();
    path.setAttribute("d", `M${drawn.x},${drawn.y}h${drawn.width}v${drawn.height}h${-drawn.width}Z`); // no arrow
    const [now, room] = [path.getBoundingClientRect(), this.plot.getBoundingClientRect()];
    const marks = [...this.plot.querySelectorAll(".scatterlayer .points path, .scatterlayer path.point")];
    const places = marks.map((mark) => middle(mark.getBoundingClientRect()));
    const far = ([x, y]) => Math.hypot(x - this.at[0], y - this.at[1]);
    const nearest = places.reduce((best, one) => (far(one) < far(best) ? one : best), [Infinity, Infinity]);
    const [x, y] = far(nearest) <= NEAR ? nearest : this.at;
    const [wide, high] = [now.width, now.height];
    const offered = CORNERS.map(([right, below]) => {
      const left = Math.min(Math.max(right > 0 ? x + AWAY : x - AWAY - wide, room.left), room.right - wide);
      const top = Math.min(Math.max(below > 0 ? y + AWAY : y - AWAY - high, room.top), room.bottom - high);
      const hides = ([one, other]) => one >= left && one <= left + wide && other >= top && other <= top + high;
      return { left, top, hidden: places.filter(hides).length + 100 * Number(hides([x, y])) };
    });
    const best = offered.reduce((one, other) => (other.hidden < one.hidden ? other : one));
    const [across, down] = [Number(moved[1]) + best.left - now.left, Number(moved[2]) + best.top - now.top];
    boxes[0].setAttribute("transform", `translate(${across},${down})`);
  }

  close() {
    this.observer.disconnect();
    for (const name of ["pointermove", "pointerdown"]) this.plot.removeEventListener(name, this.follow, true);
  }
}
