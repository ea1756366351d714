// An editor: a text field, and beneath it the same text with syntax highlighting and marks.

/** The longest text that is highlighted. */
const LONGEST = 200_000;

export class Editor {
  /** Fills the element; `colour` splits texts into tokens. */
  constructor(element, label, colour) {
    this.element = element;
    this.colour = colour;
    this.marks = [];
    this.onchange = () => {};
    this.numbers = add(element, "div", "numbers");
    this.numbers.setAttribute("aria-hidden", "true");
    const field = add(element, "div", "field");
    this.shown = add(field, "pre", "shown");
    this.shown.setAttribute("aria-hidden", "true");
    this.field = add(field, "textarea");
    this.field.id = `${element.id}-text`;
    this.field.setAttribute("aria-label", label);
    this.field.spellcheck = false;
    this.field.autocapitalize = "off";
    this.field.addEventListener("input", () => {
      this.marks = [];
      this.draw();
      this.onchange();
    });
    this.field.addEventListener("scroll", () => this.follow());
    this.field.addEventListener("keydown", (event) => this.key(event));
  }

  get text() {
    return this.field.value;
  }

  set text(text) {
    this.field.value = text;
    this.marks = [];
    this.draw();
  }

  /** Enter keeps the indentation, and indents after a bracket. */
  key(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) {
      return;
    }
    const before = this.field.value.slice(0, this.field.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = line.match(/^ */)[0] + (/[{(]\s*$/.test(line) ? "  " : "");
    if (indent) {
      event.preventDefault();
      // So that the browser can undo it.
      document.execCommand("insertText", false, `\n${indent}`);
    }
  }

  /** Marks places: `{ start, end, class }` in bytes. */
  mark(list) {
    const index = indexer(this.text);
    this.marks = list.map(({ start, end, name }) => {
      const from = index(start);
      return { start: from, end: Math.max(index(end), from + 1), name };
    });
    this.draw();
  }

  /** Scrolls to a place, in bytes; and selects it, if the cursor is to move there. */
  reveal(start, end, select = false) {
    const index = indexer(this.text);
    const [from, to] = [index(start), index(end)];
    const lines = this.text.slice(0, from).split("\n");
    const height = parseFloat(getComputedStyle(this.field).lineHeight);
    const top = (lines.length - 1) * height;
    if (top < this.field.scrollTop || top + 3 * height > this.field.scrollTop + this.field.clientHeight) {
      this.field.scrollTop = Math.max(0, top - this.field.clientHeight / 3);
    }
    if (select) {
      this.field.focus();
      this.field.setSelectionRange(from, to);
    }
    this.follow();
  }

  follow() {
    this.shown.style.transform = `translate(${-this.field.scrollLeft}px, ${-this.field.scrollTop}px)`;
    this.numbers.scrollTop = this.field.scrollTop;
  }

  draw() {
    const text = this.text;
    const lines = text.split("\n").length;
    // Empty lines below, so that the numbers scroll as far as the text.
    this.numbers.textContent = `${Array.from({ length: lines }, (_, n) => n + 1).join("\n")}\n\n\n`;
    const plain = text.length > LONGEST;
    this.element.classList.toggle("plain", plain);
    const pieces = plain ? [] : this.colour(text);
    this.shown.replaceChildren(...(plain ? [] : drawn(text, pieces, this.marks)));
    this.follow();
  }
}

/** A text as spans: tokens, split where marks begin and end. */
function drawn(text, pieces, marks) {
  const cuts = new Set([0, text.length]);
  for (const [start, end] of pieces) {
    cuts.add(start).add(end);
  }
  for (const { start, end } of marks) {
    cuts.add(Math.min(start, text.length)).add(Math.min(end, text.length));
  }
  const sorted = [...cuts].sort((a, b) => a - b);
  const nodes = [];
  let piece = 0;
  for (let n = 0; n + 1 < sorted.length; n++) {
    const [start, end] = [sorted[n], sorted[n + 1]];
    while (piece < pieces.length && pieces[piece][1] <= start) {
      piece++;
    }
    const names = marks.filter((mark) => mark.start <= start && end <= mark.end).map((mark) => mark.name);
    if (piece < pieces.length && pieces[piece][0] <= start) {
      names.push(pieces[piece][2]);
    }
    if (names.length) {
      const span = document.createElement("span");
      span.className = names.join(" ");
      span.textContent = text.slice(start, end);
      nodes.push(span);
    } else {
      nodes.push(text.slice(start, end));
    }
  }
  // An empty last line needs its height.
  nodes.push("\n ");
  return nodes;
}

/** Converts byte offsets of UTF-8 to offsets in a string. */
function indexer(text) {
  if (/^[\0-\x7f]*$/.test(text)) {
    return (byte) => Math.min(byte, text.length);
  }
  const places = [];
  let at = 0;
  for (const c of text) {
    const code = c.codePointAt(0);
    for (let n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4; n > 0; n--) {
      places.push(at);
    }
    at += c.length;
  }
  return (byte) => places[byte] ?? text.length;
}

export function add(parent, tag, name = "", text = "") {
  const element = document.createElement(tag);
  if (name) {
    element.className = name;
  }
  if (text) {
    element.textContent = text;
  }
  parent.append(element);
  return element;
}
