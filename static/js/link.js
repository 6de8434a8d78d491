// The socket that htmx keeps for a live page: its state, the label that shows it, and the heartbeat
// that reveals missed messages.

// All times are in ms.
const BEAT_EVERY = 20000;
// After QUIET without a message the server is pinged every PING_EVERY; DEAD_AFTER without an answer the
// socket is given up. So a dead connection is noticed in less than three seconds.
const QUIET = 1200;
const PING_EVERY = 400;
const DEAD_AFTER = 1200;
const CHECK_EVERY = 200;

// The close code of a socket that this page has given up.
export const DEAD = 4000;

const link = document.getElementById("link");

const connectionOf = (room) => htmx.ext.ws.getRegistry().get(room.getAttribute("hx-ws:connect"));
const socketOf = (room) => connectionOf(room)?.socket;

export function openSocket(room) {
  const socket = socketOf(room);
  return socket?.readyState === WebSocket.OPEN ? socket : null;
}

// Give the socket up, so that htmx opens another. On a dead connection a browser may take a minute to
// fire "close", so this fires it at once.
export function giveUp(room) {
  const socket = socketOf(room);
  socket?.close();
  socket?.dispatchEvent(new CloseEvent("close", { code: DEAD }));
}

// Reconnect at once, however long htmx would still have waited.
export function reconnectNow(room) {
  const connection = connectionOf(room);
  clearTimeout(connection.timer);
  connection.attempt = 0;
  giveUp(room);
}

// Notice quickly that the connection is dead or back, or that a frame is missing.
// state: returns the message that says what the page shows.
export function watchConnection(room, state) {
  let heard = Date.now();
  let unanswered = 0; // time of the first ping without an answer, or 0
  let lastPing = 0;
  const alive = () => {
    heard = Date.now();
    unanswered = 0;
  };
  room.addEventListener("htmx:before:ws:message", alive);
  room.addEventListener("htmx:after:ws:connection", alive);
  for (const change of ["offline", "online"]) addEventListener(change, () => giveUp(room));
  setInterval(() => {
    const now = Date.now();
    const socket = socketOf(room);
    if (!socket || socket.readyState > WebSocket.OPEN) {
      alive(); // closed already: nothing to watch
    } else if (unanswered && now - unanswered > DEAD_AFTER) {
      alive();
      giveUp(room);
    } else if (now - heard > QUIET && now - lastPing > PING_EVERY && !document.hidden) {
      unanswered ||= now;
      lastPing = now;
      send(room, { ping: true, ...state() }); // not sent while still connecting, which times out the same way
    }
  }, CHECK_EVERY);
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

// Send a heartbeat. state: returns the message that says what the page shows, or nothing if unknown.
export function beat(room, state) {
  let last = Date.now();
  setInterval(() => {
    const slept = Date.now() - last > 2 * BEAT_EVERY;
    last = Date.now();
    // After the computer has slept the socket may only seem open.
    if (slept) giveUp(room);
    else if (state()) send(room, state());
  }, BEAT_EVERY);
}
