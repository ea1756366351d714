// The page: its actions, and its initial state.
import * as address from "./address.js";
import { answered, closed, forgetAnswers, iteration } from "./answers.js";
import { about, programText } from "./client.js";
import { environment } from "./environment.js";
import { grammars } from "./grammar.js";
import { remember } from "./memory.js";
import { draw } from "./models.js";
import { byId, CHOICES, failed, left, LIMITS, page, right, select, stepper, verdict } from "./page.js";
import { changed, fillMenu, forget, load, mark, programOf, readLeft, readRight, speak } from "./programs.js";
import { replay, run } from "./runs.js";

/** The program that the page shows first: a stack, and what makes it overflow. */
const FIRST = { program: "corpus/papers/otf-stack-push-pop.ia", target: "oflo.run" };

/** The default options. */
const BEFORE = {
  engine: "auto",
  target: "abort",
  order: "shortest",
  certify: "values",
  predicates: "minimal",
  learner: "tree",
  part: "",
};

/** Why there is no play to step through, after an answer without one. */
const NO_PLAY = {
  safe: "There is no such play: no environment reaches the target.",
  equivalent: "There is no such play: no environment tells the two programs apart.",
  approximates: "There is no such play: every complete play of the first program is one of the second.",
  unknown: "No play was found, and it is not known whether there is one.",
};

async function check() {
  page.playing = false;
  byId("choices").hidden = true;
  forgetAnswers();
  const chosen = Object.fromEntries(CHOICES.map((id) => [id, byId(id).value.trim()]));
  const request = { ask: "check", program: programOf(left), ...chosen, target: chosen.target || "abort" };
  const said = await run(request, (event) => event.event === "iteration" && iteration(event));
  if (!said) {
    return;
  }
  if (said.event === "failed") {
    failed(said);
    return;
  }
  answered(said);
  page.side = "left";
  stepper.show(said.play, said.play.length, NO_PLAY[said.verdict]);
  if (said.play.length) {
    select("play");
  } else if (said.assumption) {
    select("assumption");
  } else if (byId("iterations").children.length) {
    select("iterations");
  }
}

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
  page.playing = false;
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
  page.side = said.side ?? "left";
  stepper.show(said.play, said.play.length, NO_PLAY[said.verdict]);
  if (said.play.length) {
    const play = said.play.map(({ move }) => move);
    await draw([["left", left, "Program"], ["right", right, "Second program"]], play);
  }
}

/** Restores the state in an address. Other addresses are ignored. */
async function restore(state) {
  forget();
  speak(state.language);
  left.text = String(state.left ?? "");
  page.define = Object.fromEntries(Object.entries(state.define ?? {}).map(([name, value]) => [name, String(value)]));
  if (state.part) {
    byId("part").append(new Option(state.part, state.part));
  }
  for (const id of CHOICES) {
    byId(id).value = String(state[id] ?? BEFORE[id]);
    // Options that this version does not have are ignored.
    byId(id).value ||= BEFORE[id];
  }
  for (const id of LIMITS) {
    byId(id).value = String(state[id] ?? "");
  }
  byId("menu").value = state.name ?? "";
  if (state.right !== undefined) {
    right.text = String(state.right);
    showCompare(true);
    readRight(0);
  } else {
    showCompare(false);
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
  page.side = state.side === "right" ? "right" : "left";
  const said = await replay(page.side === "right" ? right : left, moves);
  if (said?.stopped) {
    verdict("NO", "open", said.stopped);
  } else if (said) {
    verdict("PLAY", "", "the play of the address");
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
    // The browser may not allow storage.
  }
}

async function start() {
  page.onStep = () => {
    mark();
    remember();
  };
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
    page.running?.abort();
    page.graphs.forEach((graph) => graph.stop());
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
  byId("language").addEventListener("change", (event) => {
    speak(event.target.value);
    changed(left, readLeft);
    readRight();
  });
  byId("menu").addEventListener("change", (event) => load(left, event.target.value, readLeft));
  byId("right-menu").addEventListener("change", (event) => load(right, event.target.value, readRight));
  for (const id of [...CHOICES, ...LIMITS]) {
    byId(id).addEventListener("change", remember);
  }
  byId("target").addEventListener("keydown", (event) => event.key === "Enter" && check());
  addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      byId("right-pane").hidden ? check() : compare();
    } else if (event.key === "Escape" && page.running) {
      page.running.abort();
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

  const [colours, known] = await Promise.all([grammars(), about()]);
  page.colours = colours;
  speak("agon");
  byId("engine").append(...known.engines.map((engine) => new Option(engine, engine)));
  for (const id of LIMITS) {
    byId(id).placeholder = String(known[id]);
  }
  fillMenu(byId("menu"), known.programs);
  fillMenu(byId("right-menu"), known.programs);
  const state = await address.read();
  if (state) {
    page.ready = true;
    await restore(state);
  } else {
    left.text = (await programText(FIRST.program)) ?? "skip";
    byId("menu").value = FIRST.program;
    byId("target").value = FIRST.target;
    page.ready = true;
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
