// Computes layouts by Graphviz, in a worker, so that the page stays responsive.
import { instance } from "./vendor/viz.js";

const graphviz = instance();

addEventListener("message", async ({ data: { dot } }) => {
  try {
    const result = (await graphviz).render(dot, { format: "json", engine: "dot" });
    if (result.status !== "success") {
      throw new Error(result.errors.map((error) => error.message).join("; "));
    }
    const { bb, objects = [], edges = [] } = JSON.parse(result.output);
    const numbers = (text) => text.split(/[ ,]/).map(Number);
    const [, , width, height] = numbers(bb);
    const inches = (text) => 72 * Number(text);
    const nodes = objects.filter(({ pos }) => pos).map(({ name, pos, width, height }) => ({ name, at: numbers(pos), size: [inches(width), inches(height)] }));
    const clusters = objects.filter(({ bb }) => bb).map(({ bb, label }) => ({ box: numbers(bb), title: label }));
    const lines = edges.map(({ tail, head, pos, lp, id }) => ({
      tail,
      head,
      id,
      // The tip of the arrow comes first, after an `e`.
      points: pos.startsWith("e") ? numbers(pos.slice(2)) : [0, 0, ...numbers(pos)],
      label: lp && numbers(lp),
    }));
    postMessage({ width, height, nodes, clusters, lines });
  } catch (error) {
    postMessage({ error: String(error.message ?? error) });
  }
});
