// Answers: verdicts, final abstractions, and iterations as they arrive.
import { add } from "./editor.js";
import { Graph } from "./graph.js";
import { byId, page, verdict } from "./page.js";

const KINDS = {
  safe: ["SAFE", "good"],
  unsafe: ["UNSAFE", "bad"],
  unknown: ["UNKNOWN", "open"],
  equivalent: ["EQUIVALENT", "good"],
  inequivalent: ["INEQUIVALENT", "bad"],
  approximates: ["APPROXIMATES", "good"],
  "does-not-approximate": ["DOES NOT APPROXIMATE", "bad"],
};

export function answered(said) {
  const [word, kind] = KINDS[said.verdict];
  const numbers = `${said.states.toLocaleString("en")} states, ${said.transitions.toLocaleString("en")} transitions`;
  const iterations = said.iterations > 1 ? `${said.iterations} iterations, ` : "";
  const because = said.chosen_because ? `: ${said.chosen_because}` : "";
  const figures = `${iterations}${numbers}, ${said.seconds.toFixed(3)} s, engine ${said.engine}${because}`;
  const cause = said.cause ? `${said.cause.message} (${said.cause.place.line}:${said.cause.place.column})` : "";
  verdict(word, kind, said.headline, figures, cause);
  const data = known(said.predicates ?? said);
  if (data.length) {
    const shown = data.slice(0, 12).join(", ") + (data.length > 12 ? ", …" : "");
    add(byId("verdict"), "span", "figures", `final partitions: ${shown}`);
  }
  if (said.stuck) {
    const places = said.stuck.map(({ line, column }) => `${line}:${column}`);
    add(byId("verdict"), "span", "figures", `its threads are stuck at ${places.join(", ")}`);
  }
  if (said.assumptions) {
    add(byId("verdict"), "span", "figures", `assumed: ${said.assumptions.join("; ")}`);
  }
  assumed(said.assumption);
  const annotated = said.predicates?.annotated;
  closed(said.environment ?? (annotated && `// The program, annotated with the predicates and scopes that were found.\n${annotated}`));
}

/** The assumption about a part of the program, as text and as a graph. */
function assumed(assumption) {
  byId("no-assumption").hidden = Boolean(assumption);
  byId("assumption").textContent = assumption?.text ?? "";
  const box = byId("assumption-graph");
  box.replaceChildren();
  byId("draw-assumption").hidden = !assumption?.graph;
  byId("draw-assumption").onclick = async () => {
    box.replaceChildren();
    const graph = new Graph(box, `Contract of ${assumption.component}`, {});
    page.graphs.push(graph);
    byId("draw-assumption").hidden = true;
    await graph.draw(assumption.graph);
  };
}

/** The abstraction: the partition of each variable, or predicates and their scopes. */
function known({ abstraction = {}, known = [] }) {
  const parts = Object.entries(abstraction).map(([name, parts]) => `${name} ${parts}`);
  return [...parts, ...known.map(({ what, where }) => `${what} ${where}`)];
}

export function closed(text) {
  byId("closed").textContent = text ?? "";
  byId("no-closed").hidden = Boolean(text);
}

/** A new check begins. */
export function forgetAnswers() {
  verdict("", "", "");
  byId("iterations").replaceChildren();
  byId("no-iterations").hidden = false;
  closed("");
  assumed(undefined);
}

export function iteration(event) {
  byId("no-iterations").hidden = true;
  const list = byId("iterations");
  const item = add(list, "li");
  item.value = list.children.length;
  add(item, "strong", "", `${event.engine}, iteration ${event.number}`);
  const anew = event.played_anew === undefined ? "" : `, ${event.played_anew.toLocaleString("en")} moves computed`;
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
