// The page: what is typed, what is asked, and where the answers go.
import { about, ask, programText } from "./client.js";
import { add, Editor } from "./editor.js";
import { Graph } from "./graph.js";
import { grammar } from "./grammar.js";
import { Stepper } from "./play.js";
import * as address from "./address.js";

const byId = (id) => document.getElementById(id);

/** What is shown to whoever comes for the first time: a stack, and what makes it overflow. */
const FIRST = { program: "corpus/papers/otf-stack-push-pop.ia", target: "oflo.run" };

const left = new Editor(byId("left"), "Program", () => []);
const right = new Editor(byId("right"), "Second program", () => []);
const stepper = new Stepper(stepped);

/** Whose play it is that is shown. */
let side = "left";
/** Constants that were given other values. */
let define = {};
/** The long run, if there is one. */
let running = null;
/** Whether the user is the environment, in the play that is shown. */
let playing = false;
let graphs = [];
/** Not to be written down before all of it is there. */
let ready = false;

// --- Programs -----------------------------------------------------------------------------------------------------

const programOf = (editor) => ({ text: editor.text, define, name: nameOf(editor) });

function nameOf(editor) {
  return byId(editor === left ? "menu" : "right-menu").value || (editor === left ? "program" : "second program");
}

/** Errors as they are typed: the last text that was asked about is the one that counts. */
function reader(editor, list) {
  let timer = null;
  let asked = null;
  return (wait = 150) => {
    clearTimeout(timer);
    asked?.abort();
    timer = setTimeout(async () => {
      asked = new AbortController();
      const program = programOf(editor);
      try {
        const said = await ask({ ask: "read", program }, () => {}, asked.signal);
        if (said.event === "answer" && program.text === editor.text) {
          tell(editor, list, said);
        }
      } catch {
        // It was called off, or nobody is there; whoever asks for more will be told.
      }
    }, wait);
  };
}

const readLeft = reader(left, byId("left-diagnostics"));
const readRight = reader(right, byId("right-diagnostics"));

/** Shows what is wrong with a program, and what it has to choose from. */
function tell(editor, list, said) {
  editor.wrong = said.diagnostics
    .filter(({ place }) => place)
    .map(({ place, severity }) => ({ ...place, name: severity === "error" ? "wrong" : "warn" }));
  mark();
  list.replaceChildren();
  for (const { code, severity, message, place, help, label } of said.diagnostics) {
    const button = add(add(list, "li"), "button", severity);
    button.textContent = `${place ? `${place.line}:${place.column} ` : ""}${code ?? ""} ${message}`;
    const more = [label, help && `help: ${help}`].filter((text) => text && text !== message).join(" — ");
    more && add(button, "span", "more", more);
    button.addEventListener("click", () => place && editor.reveal(place.start, place.end, true));
  }
  if (editor === left) {
    showConstants(said.constants);
    if (said.targets) {
      byId("targets").replaceChildren(...said.targets.map((target) => new Option(target, target)));
    }
  }
}

function showConstants(constants) {
  const box = byId("constants");
  const shown = [...box.querySelectorAll("input")].map((input) => [input.name, input.placeholder].join("="));
  if (shown.join() === constants.map(({ name, value }) => [name, value ?? ""].join("=")).join()) {
    return;
  }
  define = Object.fromEntries(Object.entries(define).filter(([name]) => constants.some((c) => c.name === name)));
  box.replaceChildren();
  for (const { name, value } of constants) {
    const label = add(box, "label", "", `${name} =`);
    const input = add(label, "input", "number");
    input.name = name;
    input.placeholder = value ?? "";
    input.value = define[name] ?? "";
    input.inputMode = "numeric";
    input.addEventListener("input", () => {
      delete define[name];
      if (input.value.trim()) {
        define[name] = input.value.trim();
      }
      readLeft();
      remember();
    });
  }
}

/** Marks, in both programs, what is wrong and what the current move comes from. */
function mark() {
  const place = stepper.moves[stepper.at - 1]?.place;
  for (const [editor, name] of [[left, "left"], [right, "right"]]) {
    const here = place && side === name ? [{ ...place, name: "mark" }] : [];
    editor.mark([...(editor.wrong ?? []), ...here]);
    if (here.length) {
      editor.reveal(place.start, place.end);
    }
  }
}

/** The text has changed: plays and models are of another program. */
function changed(editor, read) {
  byId(editor === left ? "menu" : "right-menu").value = "";
  editor.wrong = [];
  forget();
  read();
  remember();
}

function forget() {
  byId("choices").hidden = true;
  playing = false;
  byId("verdict").replaceChildren();
  if (stepper.moves.length) {
    stepper.show([], 0);
  }
}

async function load(editor, name, read) {
  const text = name && (await programText(name));
  if (text) {
    editor.text = text;
    editor.wrong = [];
    if (editor === left) {
      define = {};
      byId("constants").replaceChildren();
      byId("target").value = "abort";
    }
    forget();
    read(0);
    remember();
  }
}

// --- Runs ---------------------------------------------------------------------------------------------------------

/** Asks for something that may take long. One such run at a time: a new one ends the old one. */
async function run(request, on = () => {}) {
  running?.abort();
  graphs.forEach((graph) => graph.stop());
  const own = (running = new AbortController());
  byId("cancel").disabled = false;
  byId("progress").textContent = "…";
  document.body.setAttribute("aria-busy", "true");
  const started = performance.now();
  const clock = setInterval(() => {
    if (byId("progress").textContent === "…") {
      byId("progress").textContent = "… it takes a while";
    }
  }, 1000);
  try {
    const said = await ask(
      request,
      (event) => {
        if (event.event === "progress" && running === own) {
          const iteration = event.iteration ? `iteration ${event.iteration}, ` : "";
          const states = event.states.toLocaleString("en");
          byId("progress").textContent =
            `${iteration}${states} states, ${event.memory_mib.toFixed(0)} MiB, ${event.seconds.toFixed(1)} s`;
        }
        on(event);
      },
      own.signal,
    );
    return running === own ? said : null;
  } catch (error) {
    if (running === own) {
      const cancelled = error.name === "AbortError";
      const why = cancelled ? "the run was called off" : "the server does not answer; is `agon serve` still running?";
      verdict(cancelled ? "CANCELLED" : "UNREACHABLE", "open", why);
    }
    return null;
  } finally {
    clearInterval(clock);
    if (running === own) {
      running = null;
      byId("cancel").disabled = true;
      byId("progress").textContent = "";
      document.body.removeAttribute("aria-busy");
      document.body.dataset.took = String(Math.round(performance.now() - started));
    }
  }
}

function verdict(word, kind, text, figures = "") {
  const box = byId("verdict");
  box.replaceChildren();
  add(box, "span", `word ${kind}`, word);
  box.append(text);
  if (figures) {
    add(box, "span", "figures", figures);
  }
}

/** A request that failed says why. */
function failed(said) {
  verdict("NOT ANSWERED", "open", said.message);
  const first = said.diagnostics?.find(({ place }) => place);
  if (first) {
    add(byId("verdict"), "span", "figures", `${first.place.line}:${first.place.column} ${first.message}`);
  }
}

const KINDS = {
  safe: ["SAFE", "good"],
  unsafe: ["UNSAFE", "bad"],
  unknown: ["UNKNOWN", "open"],
  equivalent: ["EQUIVALENT", "good"],
  inequivalent: ["INEQUIVALENT", "bad"],
  approximates: ["APPROXIMATES", "good"],
  "does-not-approximate": ["DOES NOT APPROXIMATE", "bad"],
};

function answered(said) {
  const [word, kind] = KINDS[said.verdict];
  const numbers = `${said.states.toLocaleString("en")} states, ${said.transitions.toLocaleString("en")} transitions`;
  const iterations = said.iterations > 1 ? `${said.iterations} iterations, ` : "";
  const because = said.chosen_because ? `: ${said.chosen_because}` : "";
  verdict(word, kind, said.headline, `${iterations}${numbers}, ${said.seconds.toFixed(3)} s, engine ${said.engine}${because}`);
  const data = known(said.predicates ?? said);
  if (data.length) {
    const shown = data.slice(0, 12).join(", ") + (data.length > 12 ? ", …" : "");
    add(byId("verdict"), "span", "figures", `the data in the end: ${shown}`);
  }
  if (said.stuck) {
    const places = said.stuck.map(({ line, column }) => `${line}:${column}`);
    add(byId("verdict"), "span", "figures", `its threads have come to ${places.join(", ")}, and no further`);
  }
  const annotated = said.predicates?.annotated;
  closed(said.environment ?? (annotated && `// The program, with the predicates in the scopes that were found.\n${annotated}`));
}

/** What is known of the data: the partition of each variable, or predicates and where they hold. */
function known({ abstraction = {}, known = [] }) {
  const parts = Object.entries(abstraction).map(([name, parts]) => `${name} ${parts}`);
  return [...parts, ...known.map(({ what, where }) => `${what} ${where}`)];
}

function closed(text) {
  byId("closed").textContent = text ?? "";
  byId("no-closed").hidden = Boolean(text);
}

async function check() {
  playing = false;
  byId("choices").hidden = true;
  verdict("", "", "");
  byId("iterations").replaceChildren();
  byId("no-iterations").hidden = false;
  closed("");
  const request = {
    ask: "check",
    program: programOf(left),
    target: byId("target").value.trim() || "abort",
    engine: byId("engine").value,
    order: byId("order").value,
  };
  const said = await run(request, (event) => event.event === "iteration" && iteration(event));
  if (!said) {
    return;
  }
  if (said.event === "failed") {
    failed(said);
    return;
  }
  answered(said);
  side = "left";
  stepper.show(said.play, said.play.length);
  if (said.play.length) {
    select("play");
  } else if (byId("iterations").children.length) {
    select("iterations");
  }
}

function iteration(event) {
  byId("no-iterations").hidden = true;
  const list = byId("iterations");
  const item = add(list, "li");
  item.value = list.children.length;
  add(item, "strong", "", `${event.engine}, iteration ${event.number}`);
  const anew = event.played_anew === undefined ? "" : `, ${event.played_anew.toLocaleString("en")} moves played anew`;
  item.append(` ${event.states.toLocaleString("en")} states${anew}`);
  const facts = add(item, "dl");
  const fact = (name, text, kind = "") => {
    add(facts, "dt", "", name);
    return add(facts, "dd", kind, text);
  };
  const data = known(event);
  data.length && fact("data", data.slice(0, 20).join(", ") + (data.length > 20 ? ", …" : ""));
  if (event.play.length) {
    const play = fact("play", "", "play");
    event.play.forEach(({ player, move }, n) => {
      n && play.append(" · ");
      add(play, "span", player.toLowerCase(), move);
    });
  }
  if (event.spurious) {
    fact(event.play.length ? "spurious" : "", event.spurious);
  } else {
    fact("", event.play.length ? "genuine" : "the target is not reached");
  }
  const splits = (event.splits ?? []).map(({ variable, part, into }) => `${variable} ${part} into ${into.join(", ")}`);
  event.more_splits && splits.push(`and ${event.more_splits} more`);
  event.changes?.length && fact("finer", event.changes.join("; "));
  splits.length && fact("split", splits.join("; "));
}

// --- Models -------------------------------------------------------------------------------------------------------

/** Draws the models of some programs, and the way of a play through all of them. */
async function draw(wanted, play = null) {
  const box = byId("graphs");
  box.replaceChildren();
  graphs = [];
  select("graph");
  for (const [name, editor, title] of wanted) {
    const graph = new Graph(box, title, {
      onState: (state, play) => follow(name, editor, play, `state ${state}`),
      onAround: (state) => fill(graph, editor, state),
    });
    graphs.push(graph);
    graph.say("The model is being built …");
    const done = await fill(graph, editor, null);
    if (!done) {
      return false;
    }
    if (play) {
      const made = graph.highlight(play);
      graph.say(`${graph.said.textContent}. ${made === play.length ? "It has the play." : `It has the first ${made} of ${play.length} moves.`}`);
    }
  }
  return true;
}

async function fill(graph, editor, around) {
  const said = await run({ ask: "model", program: programOf(editor), around });
  if (!said) {
    graph.say("It was called off.");
    return false;
  }
  if (said.event === "failed") {
    graph.say(said.message);
    failed(said);
    return false;
  }
  said.around = around;
  graph.before = null;
  byId("cancel").disabled = false;
  const drawn = await graph.draw(said);
  byId("cancel").disabled = running === null;
  if (drawn && around !== null) {
    graph.choose(around);
  }
  return drawn;
}

/** Shows a play that leads to a state. */
async function follow(name, editor, play, what) {
  const moves = play.map(([, text]) => text);
  const said = await replay(editor, moves);
  if (said) {
    side = name;
    playing = false;
    byId("choices").hidden = true;
    stepper.show(said.play.slice(0, moves.length), moves.length);
    verdict("PLAY", "", `a shortest play to ${what}: ${moves.length} moves`);
  }
}

async function replay(editor, moves) {
  const said = await run({ ask: "play", program: programOf(editor), moves });
  if (said?.event === "failed") {
    failed(said);
    return null;
  }
  return said;
}

// --- Comparing ----------------------------------------------------------------------------------------------------

function showCompare(open) {
  byId("right-pane").hidden = !open;
  byId("compare").setAttribute("aria-pressed", String(open));
  if (open && !right.text) {
    right.text = left.text;
    readRight(0);
  }
}

async function compare() {
  showCompare(true);
  playing = false;
  byId("choices").hidden = true;
  closed("");
  const approximation = byId("approximation").checked;
  const request = { ask: "compare", left: programOf(left), right: programOf(right), approximation };
  const said = await run(request);
  if (!said) {
    return;
  }
  if (said.event === "failed") {
    failed(said);
    return;
  }
  answered(said);
  side = said.side ?? "left";
  stepper.show(said.play, said.play.length);
  if (said.play.length) {
    const play = said.play.map(({ move }) => move);
    await draw([["left", left, "Program"], ["right", right, "Second program"]], play);
  }
}

// --- Being the environment ----------------------------------------------------------------------------------------

async function environment(moves = []) {
  const said = await replay(left, moves);
  if (!said) {
    return;
  }
  side = "left";
  playing = true;
  if (said.stopped) {
    verdict("NO", "open", said.stopped);
  } else if (said.outcome !== "open") {
    const aborted = said.play.at(-1)?.move === "abort";
    verdict(
      aborted ? "ABORT" : said.outcome === "complete" ? "COMPLETE" : "STUCK",
      aborted ? "bad" : "good",
      said.outcome === "complete" ? "the play is complete" : "P never moves again, and the play is not complete",
    );
  } else {
    verdict("YOUR MOVE", "", "you are O, the environment");
  }
  select("play");
  stepper.show(said.play, said.play.length);
  offer(said);
}

/** The moves that can be made, as buttons. */
function offer(said) {
  const box = byId("choices");
  box.replaceChildren();
  box.hidden = false;
  const moves = said.play.map(({ move }) => move);
  add(box, "strong", "", "You are the environment, O.");
  const both = said.choices.some(({ player }) => player === "P");
  box.append(both ? " The program may move whenever it can: you decide when." : "");
  const list = add(box, "div", "list");
  for (const choice of said.choices) {
    if (choice.last === null && !choice.endless) {
      const button = add(list, "button", choice.player.toLowerCase(), `${choice.player}  ${choice.first}`);
      button.addEventListener("click", () => environment([...moves, choice.first]));
    } else {
      several(list, choice, (move) => environment([...moves, move]));
    }
  }
  const undo = add(list, "button", "", "Take back");
  undo.disabled = !moves.length;
  undo.addEventListener("click", () => environment(taken(said.play)));
  add(list, "button", "", "From the start").addEventListener("click", () => environment([]));
  (list.querySelector("button:not(:disabled)") ?? undo).focus();
}

/** Moves that differ in their data: the move is written, and the first of them stands there. */
function several(list, { player, first, last, endless }, make) {
  const form = add(list, "form", "list");
  const input = add(form, "input");
  input.value = first;
  input.size = Math.max(first.length, (last ?? "").length) + 2;
  input.spellcheck = false;
  input.setAttribute("aria-label", `a move from ${first} to ${endless ? "any integer" : last}`);
  add(form, "button", player.toLowerCase(), `${player}  play it`);
  add(form, "span", "said", endless ? "any integer" : `… ${last}`);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    make(input.value.trim());
  });
}

/** The play without the last choice: of a sequential program, without P's answer to it too. */
function taken(play) {
  const moves = play.map(({ move }) => move);
  const concurrent = moves.some((move) => move.includes("@"));
  if (!concurrent) {
    return moves.slice(0, Math.max(0, Math.ceil(moves.length / 2) * 2 - 2));
  }
  return moves.slice(0, -1);
}

// --- The page -----------------------------------------------------------------------------------------------------

function stepped() {
  mark();
  remember();
}

function select(name) {
  for (const tab of byId("tabs").children) {
    const own = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(own));
    tab.tabIndex = own ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !own;
  }
  if (name === "graph") {
    graphs.forEach((graph) => graph.move());
  }
}

let writing = null;

/** Writes the state of the page to its address, a moment after it has changed. */
function remember() {
  if (!ready) {
    return;
  }
  clearTimeout(writing);
  writing = setTimeout(() => {
    const open = !byId("right-pane").hidden;
    address.write({
      left: left.text,
      right: open ? right.text : undefined,
      name: byId("menu").value || undefined,
      define,
      engine: byId("engine").value,
      target: byId("target").value,
      order: byId("order").value,
      side,
      playing: playing || undefined,
      moves: stepper.moves.map(({ move }) => move),
      at: stepper.at,
    });
  }, 120);
}

/** Makes the page as an address says; an address of another page says nothing. */
async function restore(state) {
  left.text = String(state.left ?? "");
  define = { ...state.define };
  byId("engine").value = state.engine ?? "auto";
  byId("target").value = state.target ?? "abort";
  byId("order").value = state.order ?? "shortest";
  byId("menu").value = state.name ?? "";
  if (state.right !== undefined) {
    right.text = String(state.right);
    showCompare(true);
    readRight(0);
  }
  readLeft(0);
  const moves = Array.isArray(state.moves) ? state.moves.map(String) : [];
  if (!moves.length) {
    return;
  }
  if (state.playing) {
    await environment(moves);
    return;
  }
  side = state.side === "right" ? "right" : "left";
  const said = await replay(side === "right" ? right : left, moves);
  if (said?.stopped) {
    verdict("NO", "open", said.stopped);
  } else if (said) {
    verdict("PLAY", "", "the play in the address, played again");
    stepper.show(said.play.slice(0, moves.length), Number(state.at) || 0);
  }
}

function theme(name) {
  if (name) {
    document.documentElement.dataset.theme = name;
  } else {
    delete document.documentElement.dataset.theme;
  }
  try {
    localStorage.setItem("theme", name);
  } catch {
    // Not every browser keeps things.
  }
}

function fillMenu(menu, programs) {
  const groups = new Map();
  for (const program of programs) {
    const group = program.slice(0, program.lastIndexOf("/"));
    groups.get(group)?.push(program) ?? groups.set(group, [program]);
  }
  for (const [group, list] of groups) {
    const element = document.createElement("optgroup");
    element.label = group === "." ? "the folder" : group;
    element.append(...list.map((program) => new Option(program.slice(group.length + 1), program)));
    menu.append(element);
  }
}

async function start() {
  stepper.show([], 0);
  left.onchange = () => changed(left, readLeft);
  right.onchange = () => changed(right, readRight);
  byId("check").addEventListener("click", check);
  byId("model").addEventListener("click", () => {
    const wanted = [["left", left, "Program"]];
    byId("right-pane").hidden || wanted.push(["right", right, "Second program"]);
    draw(wanted);
  });
  byId("compare").addEventListener("click", () => {
    showCompare(byId("right-pane").hidden);
    remember();
  });
  byId("do-compare").addEventListener("click", compare);
  byId("environment").addEventListener("click", () => environment());
  byId("cancel").addEventListener("click", () => {
    running?.abort();
    graphs.forEach((graph) => graph.stop());
  });
  byId("layout").addEventListener("click", async () => {
    const said = await run({ ask: "layout", program: programOf(left) });
    if (said?.event === "answer") {
      left.text = said.text;
      changed(left, readLeft);
    } else if (said) {
      failed(said);
    }
  });
  byId("menu").addEventListener("change", (event) => load(left, event.target.value, readLeft));
  byId("right-menu").addEventListener("change", (event) => load(right, event.target.value, readRight));
  for (const id of ["engine", "target", "order"]) {
    byId(id).addEventListener("change", remember);
  }
  byId("target").addEventListener("keydown", (event) => event.key === "Enter" && check());
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      byId("right-pane").hidden ? check() : compare();
    } else if (event.key === "Escape" && running) {
      running.abort();
    }
  });
  byId("tabs").addEventListener("click", (event) => event.target.id && select(event.target.id.slice(4)));
  byId("tabs").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const tabs = [...byId("tabs").children];
    const at = tabs.indexOf(event.target);
    if (by && at >= 0) {
      const tab = tabs[(at + by + tabs.length) % tabs.length];
      select(tab.id.slice(4));
      tab.focus();
    }
  });
  const kept = localStorage.getItem("theme") ?? "";
  byId("theme").value = kept;
  theme(kept);
  byId("theme").addEventListener("change", (event) => theme(event.target.value));

  const [colour, known] = await Promise.all([grammar(), about()]);
  left.colour = right.colour = colour;
  byId("engine").append(...known.engines.map((engine) => new Option(engine, engine)));
  fillMenu(byId("menu"), known.programs);
  fillMenu(byId("right-menu"), known.programs);
  const state = await address.read();
  if (state) {
    ready = true;
    await restore(state);
  } else {
    left.text = (await programText(FIRST.program)) ?? "skip";
    byId("menu").value = FIRST.program;
    byId("target").value = FIRST.target;
    ready = true;
    readLeft(0);
    await check();
  }
  left.draw();
  document.body.dataset.ready = "yes";
}

addEventListener("hashchange", async () => {
  const state = await address.read();
  if (state) {
    await restore(state);
  }
});
start();
