// The user is the environment: the possible moves as buttons.
import { add } from "./editor.js";
import { byId, left, page, select, stepper, verdict } from "./page.js";
import { replay } from "./runs.js";

export async function environment(moves = []) {
  const said = await replay(left, moves);
  if (!said) {
    return;
  }
  page.side = "left";
  page.playing = true;
  if (said.stopped) {
    verdict("NO", "open", said.stopped);
  } else if (said.outcome !== "open") {
    const aborted = ["abort", "fail"].includes(said.play.at(-1)?.move);
    verdict(
      aborted ? "ABORT" : said.outcome === "complete" ? "COMPLETE" : "STUCK",
      aborted ? "bad" : "good",
      said.outcome === "complete" ? "the play is complete" : "P never moves again, and the play is incomplete",
    );
  } else {
    verdict("YOUR MOVE", "", "you are O, the environment");
  }
  select("play");
  stepper.show(said.play, said.play.length);
  offer(said);
}

/** The possible moves as buttons. */
function offer(said) {
  const box = byId("choices");
  box.replaceChildren();
  box.hidden = false;
  const moves = said.play.map(({ move }) => move);
  add(box, "strong", "", "You are the environment, O.");
  const both = said.choices.some(({ player }) => player === "P");
  box.append(both ? " The program may move whenever it can: you decide when." : "");
  if (said.open) {
    const stack = add(box, "p", "stack");
    stack.id = "open-calls";
    stack.append(said.open.length ? "Open calls: " : "No call is open.");
    said.open.forEach((name, n) => {
      n && stack.append(" › ");
      add(stack, "code", "", name);
    });
  }
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
  undo.addEventListener("click", () => environment(taken(said)));
  add(list, "button", "", "From the start").addEventListener("click", () => environment([]));
  (list.querySelector("button:not(:disabled)") ?? undo).focus();
}

/** Moves that differ in their data: the user types the move; the field contains the first one. */
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

/** The play without the last choice; in a sequential program, also without P's answer to it. */
function taken({ play, open }) {
  const moves = play.map(({ move }) => move);
  const concurrent = !open && moves.some((move) => move.includes("@"));
  if (!concurrent) {
    return moves.slice(0, Math.max(0, Math.ceil(moves.length / 2) * 2 - 2));
  }
  return moves.slice(0, -1);
}
