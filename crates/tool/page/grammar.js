// Syntax highlighting by the TextMate grammar that editors use; only the kinds of rules that it contains.

/** Functions that split a text into tokens, `[start, end, class]`, in order and without overlap: one for each language. */
export async function grammars() {
  const agon = flatten(await (await fetch("/agon.tmLanguage.json")).json());
  const c = flatten(C);
  return { agon: (text) => colour(agon, text), c: (text) => colour(c, text) };
}

/** C, in the same form. */
const C = {
  patterns: [
    { name: "comment", begin: "/\\*", end: "\\*/" },
    { name: "comment", match: "//.*$" },
    { name: "constant", match: "\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'" },
    { name: "keyword", match: "^[ \\t]*#[ \\t]*[a-z]+" },
    { name: "invalid", match: "\\b(abort|assert|exit)\\b" },
    {
      name: "keyword",
      match:
        "\\b(break|case|continue|default|do|else|enum|extern|for|goto|if|inline|return|sizeof|static|struct|switch|typedef|union|while)\\b",
    },
    {
      name: "storage",
      match:
        "\\b(_Bool|bool|char|const|double|float|int|long|pthread_mutex_t|short|signed|size_t|u?int(8|16|32|64)_t|unsigned|void|volatile)\\b",
    },
    { name: "constant", match: "\\b(0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*\\b|\\b(NULL|true|false)\\b" },
    { match: "\\b([A-Za-z_]\\w*)(?=\\([^;]*\\)\\s*\\{)", captures: { 1: { name: "entity" } } },
  ],
};

function flatten(grammar) {
  const rules = [];
  const add = (patterns) => {
    for (const pattern of patterns) {
      if (pattern.include) {
        add(grammar.repository[pattern.include.slice(1)].patterns);
      } else {
        rules.push({
          start: new RegExp(pattern.match ?? pattern.begin, "dgmu"),
          end: pattern.end && new RegExp(pattern.end, "gmu"),
          name: classOf(pattern.name),
          captures: Object.entries(pattern.captures ?? {}).map(([n, { name }]) => [Number(n), classOf(name)]),
        });
      }
    }
  };
  add(grammar.patterns);
  return rules;
}

/** `keyword.control.agon` is a `keyword`. */
function classOf(name) {
  const first = (name ?? "").split(".")[0];
  return first === "variable" ? "" : first;
}

function colour(rules, text) {
  const pieces = [];
  const found = rules.map(() => ({ index: -1 }));
  let at = 0;
  for (;;) {
    // The rule that matches first in the text; of several, the first rule.
    let best = null;
    rules.forEach((rule, n) => {
      if (found[n] && found[n].index < at) {
        rule.start.lastIndex = at;
        found[n] = rule.start.exec(text);
      }
      if (found[n] && (best === null || found[n].index < found[best].index)) {
        best = n;
      }
    });
    if (best === null) {
      return pieces;
    }
    const [rule, match] = [rules[best], found[best]];
    let end = match.index + match[0].length;
    if (rule.end) {
      rule.end.lastIndex = end;
      const close = rule.end.exec(text);
      end = close ? close.index + close[0].length : text.length;
    }
    for (const [n, name] of rule.captures) {
      if (match.indices[n] && name) {
        pieces.push([...match.indices[n], name]);
      }
    }
    if (rule.name && !rule.captures.length) {
      pieces.push([match.index, end, rule.name]);
    }
    at = Math.max(end, at + 1);
  }
}
