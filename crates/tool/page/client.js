// Requests to the server: events are passed on as they arrive, and a request can be cancelled.

/** The version of the data that page and server exchange. */
const VERSION = 1;

/** Sends a request, and passes each event to `on`; returns the last one. Throws if it is cancelled or the server is gone. */
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
  let last = { event: "failed", message: "the connection was lost", diagnostics: [] };
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
