// Models as graphs: laid out by a worker, drawn as SVG; the user can pan, zoom and click.
import { add } from "./editor.js";

const SVG = "http://www.w3.org/2000/svg";
/** With more arrows than this, the layout reserves no space for labels. */
const ROOM_FOR_LABELS = 300;
/** The most rows that all arrows of the layout may cross together; the other arrows are drawn over the layout. */
const ROOM_FOR_ARROWS = 3_000;
/** The time limit of a layout, in milliseconds; tests may change it. */
const PATIENCE = 40_000;
const patience = () => Number(document.body.dataset.patience ?? PATIENCE);

export function svg(parent, tag, attributes = {}, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  if (text) {
    element.textContent = text;
  }
  parent.append(element);
  return element;
}

export class Graph {
  /** Draws in the parent. `onState` gets the chosen state and a shortest play to it; `onAround` gets the state whose
   * neighbourhood is to be shown. */
  constructor(parent, title, { onState = () => {}, onAround = () => {} }) {
    this.element = add(parent, "div", "graph");
    this.onState = onState;
    const bar = add(this.element, "div", "bar");
    add(bar, "strong", "", title);
    const button = (text, words, act) => {
      const button = add(bar, "button", "", text);
      button.title = words;
      button.setAttribute("aria-label", `${words} (${title})`);
      button.addEventListener("click", act);
      return button;
    };
    button("+", "Nearer", () => this.zoom(1.4));
    button("−", "Farther", () => this.zoom(1 / 1.4));
    button("⤢", "Show the whole model", () => this.fit());
    this.around = button("⌖ around this state", "Show the neighbourhood of the chosen state", () => onAround(this.chosen));
    this.around.hidden = true;
    this.said = add(bar, "span", "said");
    this.said.setAttribute("role", "status");
    this.canvas = add(this.element, "div", "canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute(
      "aria-label",
      `${title}. Arrows move the picture, plus and minus zoom, n and p choose the next or previous state.`,
    );
    this.view = { x: 0, y: 0, scale: 1 };
    this.listen();
  }

  say(text) {
    this.said.textContent = text;
  }

  /** Cancels the layout. */
  stop() {
    this.worker?.terminate();
    this.worker = null;
  }

  /** Lays out a model and draws it. */
  async draw(model) {
    this.stop();
    this.model = model;
    const count = model.states.toLocaleString("en");
    const all = `${count} states, ${model.transitions.toLocaleString("en")} transitions`;
    this.say(`${all}: computing the layout …`);
    const started = performance.now();
    const geometry = await this.laidOut(model);
    if (geometry.error) {
      this.say(`${all}. There is no layout: ${geometry.error}`);
      return false;
    }
    this.paint(geometry);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    this.say(
      model.whole
        ? `${all}, drawn in ${seconds} s`
        : `${all}: too many to draw. These are ${model.shown.length} states around state ${this.centre()}; ` +
            "dashed states have more moves. Choose one to see its neighbourhood.",
    );
    // The message above may have changed the size.
    this.fit();
    return true;
  }

  centre() {
    return this.model.around ?? this.model.initial;
  }

  laidOut(model) {
    // Transitions of one player between the same states share an arrow.
    this.arrows = new Map();
    for (const [from, player, text, to] of model.edges) {
      const key = `${from} ${to} ${player}`;
      const arrow = this.arrows.get(key) ?? { from, to, player, moves: [] };
      arrow.moves.push(text);
      this.arrows.set(key, arrow);
    }
    const labels = this.arrows.size <= ROOM_FOR_LABELS;
    const quoted = (text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
    const nodes = model.boxes ? boxed(model.boxes, quoted) : model.shown.map((state) => `${state};`);
    const edges = roomy(model, this.arrows).map(([key, arrow]) => {
      const label = labels ? `, label=${quoted(` ${shortened(arrow.moves)} `)}` : "";
      return `${arrow.from} -> ${arrow.to} [id=${quoted(key)}${label}];`;
    });
    const big = model.shown.length > 600 ? "nslimit=2; mclimit=0.4;" : "";
    const dot = `digraph { ${big} ranksep=0.35; nodesep=0.2; node [shape=circle, width=0.3, fixedsize=true, label=""];
      edge [fontsize=11, fontname="Courier", arrowsize=0.6]; ${nodes.join("")} ${edges.join("")} }`;
    return new Promise((resolve) => {
      const worker = new Worker("layout-worker.js", { type: "module" });
      const end = (geometry) => {
        clearTimeout(timer);
        worker.terminate();
        resolve(geometry);
      };
      const timer = setTimeout(() => end({ error: "it takes too long" }), patience());
      worker.onmessage = ({ data }) => end(data);
      worker.onerror = (event) => end({ error: event.message ?? "the layout failed" });
      this.worker = { terminate: () => end({ error: "it was cancelled" }) };
      worker.postMessage({ dot });
    });
  }

  paint({ width, height, nodes, clusters, lines }) {
    this.size = [width, height];
    this.canvas.replaceChildren();
    this.root = svg(this.canvas, "svg", { class: this.arrows.size > 1_000 ? "many" : "few" });
    this.layer = svg(this.root, "g");
    this.edges = new Map();
    this.states = new Map();
    const flip = (y) => height - y;
    for (const { box, title } of clusters) {
      const group = svg(this.layer, "g", { class: "component" });
      svg(group, "rect", { x: box[0], y: flip(box[3]), width: box[2] - box[0], height: box[3] - box[1], rx: 8 });
      svg(group, "text", { x: (box[0] + box[2]) / 2, y: flip(box[3]) + 15 }, title);
    }
    const places = new Map(nodes.map(({ name, at }) => [Number(name), at]));
    const laid = new Set(lines.map(({ id }) => id));
    const across = [...this.arrows].filter(([id]) => !laid.has(id)).map(([id, arrow]) => ({ id, points: bent(places.get(arrow.from), places.get(arrow.to)) }));
    for (const { id, points, label } of [...lines, ...across]) {
      const arrow = this.arrows.get(id);
      const kind = arrow.player ? arrow.player.toLowerCase() : "hidden-move";
      const at = (n) => `${points[2 * n].toFixed(1)},${flip(points[2 * n + 1]).toFixed(1)}`;
      const last = points.length / 2 - 1;
      let path = `M${at(1)}`;
      for (let n = 2; n + 2 <= last; n += 3) {
        path += `C${at(n)} ${at(n + 1)} ${at(n + 2)}`;
      }
      const group = svg(this.layer, "g", { class: `edge ${kind}` });
      svg(group, "path", { d: path });
      // The head of the arrow, from the end of the line to the tip.
      const [tx, ty] = [points[0], flip(points[1])];
      const [ex, ey] = [points[2 * last], flip(points[2 * last + 1])];
      const length = Math.hypot(tx - ex, ty - ey) || 1;
      const [nx, ny] = [(-(ty - ey) / length) * 3, ((tx - ex) / length) * 3];
      svg(group, "path", { class: `head ${kind}`, d: `M${tx},${ty}L${ex + nx},${ey + ny}L${ex - nx},${ey - ny}Z` });
      const middle = 2 * Math.max(1, Math.ceil(last / 2));
      const [lx, ly] = label ?? [points[middle], points[middle + 1]];
      const words = svg(this.layer, "text", { class: "label", x: lx, y: flip(ly) + 4 }, shortened(arrow.moves));
      this.edges.set(id, { group, words });
      if (arrow.moves.length > 1) {
        svg(group, "title", {}, arrow.moves.slice(0, 40).join(", "));
      }
    }
    const finals = new Set(this.model.final);
    const more = new Map(this.model.hidden ?? []);
    for (const { name, at, size } of nodes) {
      const state = Number(name);
      const names = ["state"];
      finals.has(state) && names.push("final");
      state === this.model.initial && names.push("initial");
      more.get(state) && names.push("more");
      const group = svg(this.layer, "g", { class: names.join(" "), "data-state": state });
      const text = this.model.boxes?.texts[state];
      if (text) {
        svg(group, "rect", { x: at[0] - size[0] / 2, y: flip(at[1]) - size[1] / 2, width: size[0], height: size[1], rx: 5 });
        const rows = text.split("\n");
        rows.forEach((row, n) => svg(group, "text", { x: at[0], y: flip(at[1]) + 4 + 13 * (n - (rows.length - 1) / 2) }, row));
      } else {
        svg(group, "circle", { cx: at[0], cy: flip(at[1]), r: 10 });
        svg(group, "text", { x: at[0], y: flip(at[1]) + 3 }, String(state));
        svg(group, "title", {}, finals.has(state) ? `state ${state}, complete` : `state ${state}`);
      }
      this.states.set(state, { group, at: [at[0], flip(at[1])] });
    }
    this.fit();
  }

  /** A shortest play to a state, as `[player, move]`. */
  playTo(state) {
    if (this.model.plays) {
      return this.model.plays[state] ?? null;
    }
    if (!this.before) {
      this.before = new Map([[this.model.initial, null]]);
      const out = new Map();
      for (const edge of this.model.edges) {
        out.get(edge[0])?.push(edge) ?? out.set(edge[0], [edge]);
      }
      const waiting = [this.model.initial];
      for (const state of waiting) {
        for (const edge of out.get(state) ?? []) {
          if (!this.before.has(edge[3])) {
            this.before.set(edge[3], edge);
            waiting.push(edge[3]);
          }
        }
      }
    }
    const play = [];
    for (let edge = this.before.get(state); edge; edge = this.before.get(edge[0])) {
      play.push([edge[1], edge[2]]);
    }
    return play.reverse();
  }

  choose(state) {
    if (!this.states?.has(state)) {
      return;
    }
    this.states.get(this.chosen)?.group.classList.remove("chosen");
    this.chosen = state;
    this.states.get(state).group.classList.add("chosen");
    this.around.hidden = this.model.whole;
    // A path through a module's model is no play: a play needs a stack.
    if (this.model.boxes) {
      return;
    }
    const play = this.playTo(state);
    if (play) {
      this.highlight(play.map(([, text]) => text));
      this.onState(state, play);
    } else {
      this.say(`The shortest play to state ${state} is too long to be shown.`);
    }
  }

  /** Highlights the path of a play. Returns how many of its moves the model has. */
  highlight(moves) {
    this.layer?.querySelectorAll(".on-way, .stuck").forEach((element) => element.classList.remove("on-way", "stuck"));
    const next = new Map(this.model.edges.map(([from, player, text, to]) => [`${from} ${text}`, [player, to]]));
    let state = this.model.initial;
    let made = 0;
    this.states?.get(state)?.group.classList.add("on-way");
    for (const text of moves) {
      const step = next.get(`${state} ${text}`);
      if (!step) {
        this.states?.get(state)?.group.classList.add("stuck");
        break;
      }
      const edge = this.edges?.get(`${state} ${step[1]} ${step[0]}`);
      edge?.group.classList.add("on-way");
      state = step[1];
      this.states?.get(state)?.group.classList.add("on-way");
      made++;
    }
    return made;
  }

  fit() {
    const [width, height] = this.size ?? [1, 1];
    const { clientWidth, clientHeight } = this.canvas;
    const scale = Math.min(clientWidth / (width + 30), clientHeight / (height + 30), 1.6) || 1;
    this.view = { x: (clientWidth - width * scale) / 2, y: (clientHeight - height * scale) / 2, scale };
    this.move();
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const scale = Math.min(Math.max(this.view.scale * factor, 0.005), 8);
    const by = scale / this.view.scale;
    this.view = { x: x - (x - this.view.x) * by, y: y - (y - this.view.y) * by, scale };
    this.move();
  }

  pan(dx, dy) {
    this.view.x += dx;
    this.view.y += dy;
    this.move();
  }

  /** At most one update for each frame. */
  move() {
    this.moving ??= requestAnimationFrame(() => {
      this.moving = null;
      const { x, y, scale } = this.view;
      this.layer?.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
      this.root?.classList.toggle("far", scale < 0.55);
    });
  }

  listen() {
    let held = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.clientX, y: event.clientY, moved: 0 };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (held) {
        const [dx, dy] = [event.clientX - held.x, event.clientY - held.y];
        held = { ...held, x: event.clientX, y: event.clientY, moved: held.moved + Math.abs(dx) + Math.abs(dy) };
        this.pan(dx, dy);
      }
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const clicked = held?.moved < 4;
      held = null;
      const state = clicked ? this.nearest(event) : null;
      if (state !== null) {
        this.choose(state);
      }
    });
    this.canvas.addEventListener("pointercancel", () => (held = null));
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const box = this.canvas.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
      },
      { passive: false },
    );
    this.canvas.addEventListener("keydown", (event) => {
      const step = 60;
      const act = {
        ArrowLeft: () => this.pan(step, 0),
        ArrowRight: () => this.pan(-step, 0),
        ArrowUp: () => this.pan(0, step),
        ArrowDown: () => this.pan(0, -step),
        "+": () => this.zoom(1.25),
        "=": () => this.zoom(1.25),
        "-": () => this.zoom(0.8),
        0: () => this.fit(),
        n: () => this.next(1),
        p: () => this.next(-1),
      }[event.key];
      if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        act();
      }
    });
  }

  /** The state at the pointer, or near it: zoomed out, states are small. */
  nearest({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect();
    const { x, y, scale } = this.view;
    let [best, distance] = [null, Math.max(12, 11 * scale)];
    for (const [state, { at }] of this.states ?? []) {
      const own = Math.hypot(at[0] * scale + x - (clientX - box.left), at[1] * scale + y - (clientY - box.top));
      if (own < distance) {
        [best, distance] = [state, own];
      }
    }
    return best;
  }

  /** Chooses the next or the previous state. */
  next(by) {
    const shown = this.model?.shown ?? [];
    const at = shown.indexOf(this.chosen);
    const state = shown[at < 0 ? 0 : (at + by + shown.length) % shown.length];
    this.choose(state);
    const place = this.states?.get(state)?.at;
    if (place) {
      const { clientWidth, clientHeight } = this.canvas;
      const { scale } = this.view;
      this.view = { x: clientWidth / 2 - place[0] * scale, y: clientHeight / 2 - place[1] * scale, scale };
      this.move();
    }
  }
}

/** The states of a module's model for the layout: boxes with texts, in clusters. */
function boxed({ texts, components }, quoted) {
  const node = (state) => `${state} [shape=box, fixedsize=false, fontsize=11, fontname="Courier", margin="0.08,0.05", label=${quoted(texts[state]).replaceAll("\n", "\\n")}];`;
  const cluster = ([title, states], n) => `subgraph cluster_${n} { label=${quoted(title)}; fontsize=12; ${states.map(node).join("")} }`;
  return components.map(cluster);
}

/** The arrows that take part in the layout: a layout in rows takes long if many arrows cross many rows. */
function roomy(model, arrows) {
  const row = new Map([[model.initial, 0]]);
  const out = new Map();
  for (const { from, to } of arrows.values()) {
    out.get(from)?.push(to) ?? out.set(from, [to]);
  }
  const waiting = [model.initial];
  for (const state of waiting) {
    for (const to of out.get(state) ?? []) {
      if (!row.has(to)) {
        row.set(to, row.get(state) + 1);
        waiting.push(to);
      }
    }
  }
  const span = ([, { from, to }]) => Math.abs((row.get(to) ?? 0) - (row.get(from) ?? 0));
  let room = ROOM_FOR_ARROWS;
  return [...arrows].sort((a, b) => span(a) - span(b)).filter((arrow) => (room -= span(arrow)) >= 0);
}

/** A curve between two states, from border to border: its tip, its start, two control points, its end. */
function bent([x1, y1], [x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const by = Math.min(length / 5, 120);
  const control = (part) => [x1 + (x2 - x1) * part - uy * by, y1 + (y2 - y1) * part + ux * by];
  const [c1, c2] = [control(1 / 3), control(2 / 3)];
  return [x2 - ux * 10, y2 - uy * 10, x1 + ux * 10, y1 + uy * 10, ...c1, ...c2, x2 - ux * 17, y2 - uy * 17];
}

function shortened(moves) {
  const text = moves.join(", ");
  return text.length > 40 ? `${text.slice(0, 38)} …` : text;
}
