// Shared state of the page: the editors, the play that is shown, and the current run.
import { add, Editor } from "./editor.js";
import { Stepper } from "./play.js";

export const byId = (id) => document.getElementById(id);

export const left = new Editor(byId("left"), "Program", () => []);
export const right = new Editor(byId("right"), "Second program", () => []);

export const page = {
  /** The program whose play is shown. */
  side: "left",
  /** Constants with other values. */
  define: {},
  /** The current run, if there is one. */
  running: null,
  /** Whether the user plays the environment. */
  playing: false,
  /** How texts are coloured, by their language. */
  colours: { agon: () => [], c: () => [] },
  /** The models that are drawn. */
  graphs: [],
  /** Whether the state is complete, so that it may be written to the address. */
  ready: false,
  /** Called when a play is stepped through. */
  onStep: () => {},
};

export const stepper = new Stepper(() => page.onStep());

/** The options of checks, by their names in requests, which are also the names of the elements. */
export const CHOICES = ["engine", "target", "order", "certify", "predicates", "learner", "part"];

/** The limits of a request; the limits of the server apply, too. */
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

/** Shows a verdict. */
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

/** Shows why a request failed. */
export function failed(said) {
  verdict("NOT ANSWERED", "open", said.message);
  const first = said.diagnostics?.find(({ place }) => place);
  if (first) {
    add(byId("verdict"), "span", "figures", `${first.place.line}:${first.place.column} ${first.message}`);
  }
}
