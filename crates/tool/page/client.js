// Asking the server: one request at a time for long runs, events as they come, and an end to it when it is called off.

/** The version of the data that page and server exchange. */
const VERSION = 1;

/** Asks, and hands each event to `on`; gives the last one. Throws if it is called off or the server is not there. */
export async function ask(request, on = () => {}, signal = undefined) {
  const response = await fetch("/api/ask", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ version: VERSION, ...request }),
    signal,
  });
  if (!response.ok) {
    return { event: "failed", message: await response.text(), diagnostics: [] };
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = { event: "failed", message: "the server broke off", diagnostics: [] };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return last;
    }
    rest += value;
    let end;
    while ((end = rest.indexOf("\n")) >= 0) {
      last = JSON.parse(rest.slice(0, end));
      rest = rest.slice(end + 1);
      on(last);
    }
  }
}

export async function about() {
  return (await fetch("/api/about")).json();
}

/** The text of a program on the menu. */
export async function programText(name) {
  const response = await fetch("/api/program", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ version: VERSION, name }),
  });
  return response.ok ? (await response.json()).text : null;
}
