// The state of the page in the fragment of its address, so that it can be saved and shared. Servers do not see fragments.

export async function write(state) {
  const packed = await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of packed) {
    text += String.fromCharCode(byte);
  }
  const url = btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  history.replaceState(null, "", `#1.${url}`);
}

/** The state in the address; null, if there is none that can be read. */
export async function read() {
  const [version, url] = location.hash.slice(1).split(".");
  if (version !== "1" || !url) {
    return null;
  }
  try {
    const text = atob(url.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await pipe(packed, new DecompressionStream("deflate-raw"))));
  } catch {
    return null;
  }
}

async function pipe(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
