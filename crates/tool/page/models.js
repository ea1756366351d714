// Models: building and drawing.
import { Graph } from "./graph.js";
import { byId, failed, page, select, stepper, verdict } from "./page.js";
import { programOf } from "./programs.js";
import { replay, run } from "./runs.js";

/** Draws the models of some programs, and the path of a play through each. */
export async function draw(wanted, play = null) {
  const box = byId("graphs");
  box.replaceChildren();
  page.graphs = [];
  select("graph");
  for (const [name, editor, title] of wanted) {
    const graph = new Graph(box, title, {
      onState: (state, play) => follow(name, editor, play, `state ${state}`),
      onAround: (state) => fill(graph, editor, state),
    });
    page.graphs.push(graph);
    graph.say("Building the model …");
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
    graph.say("It was cancelled.");
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
  byId("cancel").disabled = page.running === null;
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
    page.side = name;
    page.playing = false;
    byId("choices").hidden = true;
    stepper.show(said.play.slice(0, moves.length), moves.length);
    verdict("PLAY", "", `a shortest play to ${what}: ${moves.length} moves`);
  }
}
