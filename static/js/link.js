// The socket that htmx keeps for a live page: whether it is open, the mark that says so, and the
// heartbeat by which the page finds out that it has missed something.

const BEAT_EVERY = 20000;

const link = document.getElementById("link");

export function openSocket(room) {
  const socket = htmx.ext.ws.getRegistry().get(room.getAttribute("hx-ws:connect"))?.socket;
  return socket?.readyState === WebSocket.OPEN ? socket : null;
}

export function send(room, message) {
  const socket = openSocket(room);
  socket?.send(JSON.stringify(message));
  return socket !== null;
}

export function showLink(word, lost) {
  link.hidden = false;
  link.classList.toggle("lost", lost);
  link.querySelector(".word").textContent = word;
}

// version: tells which version the page shows, or nothing while it is not known.
export function beat(room, version) {
  let last = Date.now();
  setInterval(() => {
    const slept = Date.now() - last > 2 * BEAT_EVERY;
    last = Date.now();
    // After a sleep the socket may only seem open; a new one is found at once.
    if (slept) openSocket(room)?.close();
    else if (version()) send(room, { beat: version() });
  }, BEAT_EVERY);
}
