// A play that can be stepped through: its moves, the source of each, the cells, and a chart of who calls whom.
import { add } from "./editor.js";
import { svg } from "./graph.js";

/** How many moves around the current one are listed; longer plays are not listed whole. */
const WINDOW = 400;

const byId = (id) => document.getElementById(id);

export class Stepper {
  /** `onStep` gets the number of moves that were made, and the last of them. */
  constructor(onStep) {
    this.onStep = onStep;
    this.moves = [];
    this.none = "";
    this.at = 0;
    const list = byId("moves");
    byId("first").addEventListener("click", () => this.go(0));
    byId("back").addEventListener("click", () => this.go(this.at - 1));
    byId("forward").addEventListener("click", () => this.go(this.at + 1));
    byId("last").addEventListener("click", () => this.go(this.moves.length));
    byId("step").addEventListener("input", (event) => this.go(Number(event.target.value)));
    for (const element of [list, byId("chart")]) {
      element.addEventListener("click", (event) => {
        const row = event.target.closest("[data-move]");
        row && this.go(Number(row.dataset.move));
      });
      element.addEventListener("keydown", (event) => {
        const to = {
          ArrowRight: this.at + 1,
          ArrowDown: this.at + 1,
          ArrowLeft: this.at - 1,
          ArrowUp: this.at - 1,
          Home: 0,
          End: this.moves.length,
        }[event.key];
        if (to !== undefined) {
          event.preventDefault();
          this.go(to);
        }
      });
    }
  }

  /** Shows a play after a number of its moves; if there is no play, shows why. */
  show(moves, at, none = "There is no play yet. Check looks for one; or be the environment, and make your own.") {
    this.moves = moves;
    this.none = none;
    this.range = null;
    byId("step").max = String(moves.length);
    this.go(at);
  }

  go(to) {
    this.at = Math.min(Math.max(to, 0), this.moves.length);
    const { at, moves } = this;
    const move = moves[at - 1];
    byId("step").value = String(at);
    byId("where").textContent = moves.length ? `${at} of ${moves.length}` : "";
    byId("reading").textContent = move
      ? `${move.player}  ${move.move}: ${move.reading}${move.place ? ` (${move.place.line}:${move.place.column})` : ""}`
      : moves.length
        ? "Before the first move."
        : this.none;
    byId("first").disabled = byId("back").disabled = at === 0;
    byId("last").disabled = byId("forward").disabled = at === moves.length;
    this.list();
    this.store(move, moves[at - 2]);
    this.onStep(at, move);
  }

  /** Redraws the lists if they do not contain the current move, and marks it. */
  list() {
    const { at, moves } = this;
    const inside = this.range && (at > this.range[0] || this.range[0] === 0) && at <= this.range[1];
    if (!inside) {
      const start = Math.max(0, Math.min(at - WINDOW / 2, moves.length - WINDOW));
      this.range = [start, Math.min(start + WINDOW, moves.length)];
      const list = byId("moves");
      list.replaceChildren();
      list.start = start + 1;
      moves.slice(...this.range).forEach((move, n) => {
        const item = add(list, "li");
        item.dataset.move = String(start + n + 1);
        item.style.paddingLeft = move.depth ? `${0.4 + 1.4 * move.depth}em` : "";
        add(item, "span", `player ${move.player.toLowerCase()}`, move.player);
        item.append(move.move);
        move.reentry && add(item, "span", "reentry", "re-entry");
      });
      this.chart();
    }
    for (const row of document.querySelectorAll("#moves [data-move], #chart [data-move]")) {
      const now = Number(row.dataset.move) === at;
      row.classList.toggle("now", now);
      now ? row.setAttribute("aria-current", "step") : row.removeAttribute("aria-current");
      if (now) {
        scrollTo(row);
      }
    }
  }

  store(move, before) {
    const body = byId("store").tBodies[0];
    body.replaceChildren();
    const row = (name, value, changed) => {
      const line = body.insertRow();
      line.insertCell().textContent = name;
      const cell = line.insertCell();
      cell.textContent = value;
      cell.classList.toggle("changed", changed);
    };
    if (!move) {
      return;
    }
    if (!move.store) {
      row("", "not known for this play", false);
    } else if (!move.store.length) {
      row("", "there are none now", false);
    }
    const shown = (cell) =>
      cell.value ?? `[${cell.elements.join(" ")}${cell.length > cell.elements.length ? " …" : ""}]`;
    (move.store ?? []).forEach((cell, n) => {
      const old = before?.store?.[n];
      row(cell.name, shown(cell), Boolean(old) && old.name === cell.name && shown(old) !== shown(cell));
    });
  }

  /** A sequence chart: a line for each participant, an arrow for each move. */
  chart() {
    const chart = byId("chart");
    chart.replaceChildren();
    const [start, end] = this.range;
    const moves = this.moves.slice(start, end);
    if (!moves.length) {
      return;
    }
    const inModule = this.moves.some(({ depth }) => depth !== undefined);
    const arrows = inModule ? nested(this.moves) : this.moves.map(flat);
    const shown = arrows.slice(start, end);
    const columns = [...new Set(["environment", inModule ? "module" : "program", ...shown.flatMap(({ from, to }) => [from, to])])];
    const longest = Math.max(...moves.map(({ move }) => move.length), 12);
    const [gap, high, top] = [Math.max(84, 7.5 * longest + 16), 26, 6];
    const x = (n) => 48 + gap * n;
    const [width, height] = [x(columns.length - 1) + 50, top + high * moves.length + 14];
    // The names stay in place while the arrows scroll.
    const heads = svg(chart, "svg", { class: "heads", width, height: 24, viewBox: `0 0 ${width} 24`, "aria-hidden": "true" });
    const picture = svg(chart, "svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
    picture.setAttribute("aria-label", `${moves.length} moves between ${columns.join(", ")}`);
    columns.forEach((name, n) => {
      svg(picture, "line", { class: "life", x1: x(n), x2: x(n), y1: 0, y2: height });
      svg(heads, "text", { class: "who", x: x(n), y: 16, "text-anchor": "middle" }, name);
    });
    moves.forEach(({ player, move }, n) => {
      const y = top + high * n + 14;
      const kind = player.toLowerCase();
      const row = svg(picture, "g", { class: "row", "data-move": start + n + 1 });
      svg(row, "rect", { x: 0, y: y - 17, width, height: high });
      if (move === "abort" || move === "fail") {
        svg(row, "text", { x: x(1), y: y + 5, "text-anchor": "middle", class: "who" }, `✖ ${move}`);
        return;
      }
      const [from, to] = [x(columns.indexOf(shown[n].from)), x(columns.indexOf(shown[n].to))];
      const by = Math.sign(to - from);
      svg(row, "line", { class: `call ${kind}${shown[n].returns ? " returns" : ""}`, x1: from, x2: to - by * 6, y1: y, y2: y });
      svg(row, "path", { class: `head ${kind}`, d: `M${to},${y}L${to - by * 8},${y - 4}L${to - by * 8},${y + 4}Z` });
      svg(row, "text", { x: (from + to) / 2, y: y - 4, "text-anchor": "middle" }, move);
    });
  }
}

/** Between whom a move of a term goes. */
function flat({ player, move }) {
  const other = root(move) || "environment";
  return player === "P" ? { from: "program", to: other } : { from: other, to: "program" };
}

/** Between whom the moves of a module go. The environment acts in the innermost of its functions that is open. */
function nested(moves) {
  const open = [];
  const side = () => open.at(-1) ?? "environment";
  return moves.map(({ player, move, name }) => {
    const returns = move === "ret" || move.startsWith("ret ");
    if (player === "P") {
      if (!returns && move !== "fail") {
        open.push(name);
      }
      return { from: "module", to: side(), returns };
    }
    const from = side();
    returns && open.pop();
    return { from, to: "module", returns };
  });
}

/** The free identifier that a move belongs to; none for the program's own moves. */
export function root(move) {
  const dot = move.indexOf(".");
  return dot < 0 ? "" : move.slice(0, dot).split("[")[0];
}

/** Scrolls only within the list. */
function scrollTo(row) {
  const box = row.closest("ol, #chart");
  const [inner, outer] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
  if (inner.top < outer.top + 24) {
    box.scrollTop -= outer.top - inner.top + 48;
  } else if (inner.bottom > outer.bottom) {
    box.scrollTop += inner.bottom - outer.bottom + 20;
  }
  const arrow = row.querySelector(".call")?.getBoundingClientRect();
  if (arrow && arrow.left < outer.left) {
    box.scrollLeft -= outer.left - arrow.left + 40;
  } else if (arrow && arrow.right > outer.right) {
    box.scrollLeft += arrow.right - outer.right + 40;
  }
}
