// Syntax highlighting by the TextMate grammar that editors use; only the kinds of rules that it contains.

/** A function that splits a text into tokens, `[start, end, class]`, in order and without overlap. */
export async function grammar() {
  const rules = flatten(await (await fetch("/agon.tmLanguage.json")).json());
  return (text) => colour(rules, text);
}

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
