// Writes the state of the page to its address.
import * as address from "./address.js";
import { byId, CHOICES, left, LIMITS, page, right, stepper } from "./page.js";

let writing = null;

/** Writes the state of the page to its address, shortly after a change. */
export function remember() {
  if (!page.ready) {
    return;
  }
  clearTimeout(writing);
  writing = setTimeout(() => {
    const open = !byId("right-pane").hidden;
    address.write({
      left: left.text,
      right: open ? right.text : undefined,
      name: byId("menu").value || undefined,
      language: byId("language").value === "c" ? "c" : undefined,
      define: page.define,
      ...Object.fromEntries([...CHOICES, ...LIMITS].map((id) => [id, byId(id).value || undefined])),
      side: page.side,
      playing: page.playing || undefined,
      moves: stepper.moves.map(({ move }) => move),
      at: stepper.at,
    });
  }, 120);
}
