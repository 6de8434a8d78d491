// The socket that htmx keeps for a live page: whether it is open, the mark that says so, and the
// heartbeat by which the page finds out that it has missed something.

const BEAT_EVERY = 20000;
// A line over which nothing has come for so long is asked whether it lives, and asked again;
// without an answer it is given up. Together that is less than three seconds.
const QUIET = 1200;
const ASK_AGAIN = 400;
const DEAD_AFTER = 1200;
const LOOK_EVERY = 200;

// The close code of a line that has been given up here.
export const DEAD = 4000;

const link = document.getElementById("link");

const connectionOf = (room) => htmx.ext.ws.getRegistry().get(room.getAttribute("hx-ws:connect"));
const socketOf = (room) => connectionOf(room)?.socket;

export function openSocket(room) {
  const socket = socketOf(room);
  return socket?.readyState === WebSocket.OPEN ? socket : null;
}

// Give the line up, for htmx to try another. Over a dead one a browser may take a minute to say
// that it is closed, so that is said here.
export function giveUp(room) {
  const socket = socketOf(room);
  socket?.close();
  socket?.dispatchEvent(new CloseEvent("close", { code: DEAD }));
}

// Try at once for another line, however long htmx would still have waited.
export function tryNow(room) {
  const connection = connectionOf(room);
  clearTimeout(connection.timer);
  connection.attempt = 0;
  giveUp(room);
}

// Find out at once that the line is dead, or is back; and that a frame has not come.
// shows: the message that tells what the page shows.
export function watchLine(room, shows) {
  let heard = Date.now();
  let asked = 0; // since when an answer is missing
  let askedLast = 0;
  const alive = () => {
    heard = Date.now();
    asked = 0;
  };
  room.addEventListener("htmx:before:ws:message", alive);
  room.addEventListener("htmx:after:ws:connection", alive);
  for (const change of ["offline", "online"]) addEventListener(change, () => giveUp(room));
  setInterval(() => {
    const now = Date.now();
    const socket = socketOf(room);
    if (!socket || socket.readyState > WebSocket.OPEN) {
      alive(); // it is known to be lost
    } else if (asked && now - asked > DEAD_AFTER) {
      alive();
      giveUp(room);
    } else if (now - heard > QUIET && now - askedLast > ASK_AGAIN && !document.hidden) {
      asked ||= now;
      askedLast = now;
      send(room, { ping: true, ...shows() }); // one that is only being opened is watched as well
    }
  }, LOOK_EVERY);
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

// shows: the message that tells what the page shows, or nothing while that is not known.
export function beat(room, shows) {
  let last = Date.now();
  setInterval(() => {
    const slept = Date.now() - last > 2 * BEAT_EVERY;
    last = Date.now();
    // After a sleep the socket may only seem open; a new one is found at once.
    if (slept) giveUp(room);
    else if (shows()) send(room, shows());
  }, BEAT_EVERY);
}
