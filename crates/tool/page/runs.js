// Runs: requests that may take long.
import { ask } from "./client.js";
import { byId, failed, limits, page, verdict } from "./page.js";
import { programOf } from "./programs.js";

/** Starts a run. There is one run at a time: a new one cancels the old one. */
export async function run(request, on = () => {}) {
  page.running?.abort();
  page.graphs.forEach((graph) => graph.stop());
  const own = (page.running = new AbortController());
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
      { ...request, ...limits() },
      (event) => {
        if (event.event === "progress" && page.running === own) {
          const iteration = event.iteration ? `iteration ${event.iteration}, ` : "";
          const states = event.states.toLocaleString("en");
          byId("progress").textContent =
            `${iteration}${states} states, ${event.memory_mib.toFixed(0)} MiB, ${event.seconds.toFixed(1)} s`;
        }
        on(event);
      },
      own.signal,
    );
    return page.running === own ? said : null;
  } catch (error) {
    if (page.running === own) {
      const cancelled = error.name === "AbortError";
      const why = cancelled ? "the run was cancelled" : "the server does not answer; is `agon serve` still running?";
      verdict(cancelled ? "CANCELLED" : "UNREACHABLE", "open", why);
    }
    return null;
  } finally {
    clearInterval(clock);
    if (page.running === own) {
      page.running = null;
      byId("cancel").disabled = true;
      byId("progress").textContent = "";
      document.body.removeAttribute("aria-busy");
      document.body.dataset.took = String(Math.round(performance.now() - started));
    }
  }
}

/** Replays a play, and returns its moves with their readings, places and cells. */
export async function replay(editor, moves) {
  const said = await run({ ask: "play", program: programOf(editor), moves });
  if (said?.event === "failed") {
    failed(said);
    return null;
  }
  return said;
}
