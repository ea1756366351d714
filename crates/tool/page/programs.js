// Programs: the menu, diagnostics, constants, targets and parts.
import { forgetAnswers } from "./answers.js";
import { ask, programText } from "./client.js";
import { add } from "./editor.js";
import { remember } from "./memory.js";
import { byId, left, page, right, stepper, verdict } from "./page.js";

export const programOf = (editor) => ({
  text: editor.text,
  define: page.define,
  name: nameOf(editor),
  language: byId("language").value,
});

/** Chooses the language of both programs. */
export function speak(language) {
  byId("language").value = language === "c" ? "c" : "agon";
  const colour = page.colours[byId("language").value];
  for (const editor of [left, right]) {
    editor.colour = colour;
    editor.draw();
  }
}

function nameOf(editor) {
  return byId(editor === left ? "menu" : "right-menu").value || (editor === left ? "program" : "second program");
}

/** Diagnostics while the user types: only the answer about the last text counts. */
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
        // The request was cancelled, or the server is gone; the next run will report that.
      }
    }, wait);
  };
}

export const readLeft = reader(left, byId("left-diagnostics"));
export const readRight = reader(right, byId("right-diagnostics"));

/** Shows the diagnostics of a program, and its constants, targets and parts. */
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
    showParts(said.parts ?? []);
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
  page.define = Object.fromEntries(Object.entries(page.define).filter(([name]) => constants.some((c) => c.name === name)));
  box.replaceChildren();
  for (const { name, value } of constants) {
    const label = add(box, "label", "", `${name} =`);
    const input = add(label, "input", "number");
    input.name = name;
    input.placeholder = value ?? "";
    input.value = page.define[name] ?? "";
    input.inputMode = "numeric";
    input.addEventListener("input", () => {
      delete page.define[name];
      if (input.value.trim()) {
        page.define[name] = input.value.trim();
      }
      forget();
      readLeft();
      remember();
    });
  }
}

/** The parts that can be checked separately. A chosen part that no longer exists is deselected. */
function showParts(parts) {
  const menu = byId("part");
  const chosen = menu.value;
  menu.replaceChildren(new Option("automatic", ""), ...parts.map((part) => new Option(part, part)));
  menu.value = parts.includes(chosen) ? chosen : "";
}

/** Marks errors and the source of the current move in both programs. */
export function mark() {
  const place = stepper.moves[stepper.at - 1]?.place;
  for (const [editor, name] of [[left, "left"], [right, "right"]]) {
    const here = place && page.side === name ? [{ ...place, name: "mark" }] : [];
    editor.mark([...(editor.wrong ?? []), ...here]);
    if (here.length) {
      editor.reveal(place.start, place.end);
    }
  }
}

/** The text has changed: plays and models are outdated. */
export function changed(editor, read) {
  byId(editor === left ? "menu" : "right-menu").value = "";
  editor.wrong = [];
  forget();
  read();
  remember();
}

/** Discards the answers and the run of another program. */
export function forget() {
  page.running?.abort();
  page.running = null;
  byId("cancel").disabled = true;
  byId("progress").textContent = "";
  document.body.removeAttribute("aria-busy");
  page.graphs.forEach((graph) => graph.stop());
  page.graphs = [];
  byId("graphs").replaceChildren();
  add(byId("graphs"), "p", "empty", "No model is drawn yet. Model draws the game of the program.");
  byId("choices").hidden = true;
  page.playing = false;
  forgetAnswers();
  if (stepper.moves.length) {
    stepper.show([], 0);
  }
}

export async function load(editor, name, read) {
  const text = name ? await programText(name).catch(() => null) : null;
  if (name && text === null) {
    verdict("NOT READ", "open", `${name} cannot be read, or the server is gone`);
    byId(editor === left ? "menu" : "right-menu").value = "";
    return;
  }
  if (text !== null) {
    speak(/\.[ci]$/.test(name) ? "c" : "agon");
    editor.text = text;
    editor.wrong = [];
    if (editor === left) {
      page.define = {};
      byId("constants").replaceChildren();
      byId("target").value = "abort";
    }
    forget();
    read(0);
    remember();
  }
}

export function fillMenu(menu, programs) {
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
