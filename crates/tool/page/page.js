// What the parts of the page share: the editors, the play that is shown, and what is going on.
import { add, Editor } from "./editor.js";
import { Stepper } from "./play.js";

export const byId = (id) => document.getElementById(id);

export const left = new Editor(byId("left"), "Program", () => []);
export const right = new Editor(byId("right"), "Second program", () => []);

export const page = {
  /** Whose play it is that is shown. */
  side: "left",
  /** Constants that were given other values. */
  define: {},
  /** The long run, if there is one. */
  running: null,
  /** Whether the user is the environment, in the play that is shown. */
  playing: false,
  /** The models that are drawn. */
  graphs: [],
  /** Not to be written down before all of it is there. */
  ready: false,
  /** Called when a play is stepped through. */
  onStep: () => {},
};

export const stepper = new Stepper(() => page.onStep());

/** What is chosen for checks: the names of the choices are those of requests, and of the elements. */
export const CHOICES = ["engine", "target", "order", "certify", "predicates", "learner", "part"];

/** What a request is limited to; the server allows no more than its own limits. */
export const LIMITS = ["time_limit", "memory_limit", "iterations"];

/** The limits that are set. */
export function limits() {
  const set = LIMITS.map((id) => [id, byId(id).valueAsNumber]).filter(([, limit]) => limit > 0);
  return Object.fromEntries(set);
}

/** Shows one of the panels. */
export function select(name) {
  for (const tab of byId("tabs").children) {
    const own = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(own));
    tab.tabIndex = own ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !own;
  }
  if (name === "graph") {
    page.graphs.forEach((graph) => graph.move());
  }
}

/** Writes what is the answer to whatever was asked. */
export function verdict(word, kind, text, figures = "", cause = "") {
  const box = byId("verdict");
  box.replaceChildren();
  add(box, "span", `word ${kind}`, word);
  box.append(text);
  if (cause) {
    add(box, "span", "cause", cause);
  }
  if (figures) {
    add(box, "span", "figures", figures);
  }
}

/** A request that failed says why. */
export function failed(said) {
  verdict("NOT ANSWERED", "open", said.message);
  const first = said.diagnostics?.find(({ place }) => place);
  if (first) {
    add(byId("verdict"), "span", "figures", `${first.place.line}:${first.place.column} ${first.message}`);
  }
}
