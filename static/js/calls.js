// Calls to the player who looks, on any page: to the table, to check in. The page comes with those
// of the moment it was made; later ones come over a socket, from a time the server names.

import { knock } from "./knock.js";
import { ENDED, momentToReturn } from "./sockets.js";

const place = document.getElementById("calls");
const MARK = "Called · ";
const LOOK_EVERY = 20000;

// At a table a call lies over it, where it can be put off; the title goes on telling of it.
const table = document.getElementById("stage");
const putOff = new Set();

let socket = null;
let wait = 0; // milliseconds before the next try

const paths = (root) => [...root.querySelectorAll("a")].map((link) => link.getAttribute("href"));

function show(html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  const before = paths(place);
  const now = paths(fresh.content);
  // What stands there already is not spoken again.
  if (now.join() !== before.join()) place.replaceChildren(fresh.content);
  if (now.some((path) => !before.includes(path))) {
    [420, 520, 620].forEach((pitch, n) => knock(pitch, n * 0.15));
  }
  mark();
  makeWay();
}

function makeWay() {
  if (!table) return;
  for (const call of place.children) {
    const [path] = paths(call);
    call.hidden = putOff.has(path);
    if (call.querySelector("button")) continue;
    const later = document.createElement("button");
    later.type = "button";
    later.className = "button plain";
    later.textContent = "Not now";
    later.addEventListener("click", () => {
      putOff.add(path);
      call.hidden = true;
      document.getElementById("prompt").focus();
    });
    call.append(later);
  }
}

function mark() {
  const title = document.title.replace(MARK, "");
  const marked = place.childElementCount ? MARK + title : title;
  if (document.title !== marked) document.title = marked;
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const at = encodeURIComponent(location.pathname);
  socket = new WebSocket(`${scheme}//${location.host}${place.dataset.socket}?at=${at}`);
  socket.addEventListener("open", () => { wait = 0; });
  socket.addEventListener("message", (event) => {
    const { calls } = JSON.parse(event.data);
    if (calls !== undefined) show(calls);
  });
  socket.addEventListener("close", (event) => {
    if (ENDED.includes(event.code)) return;
    const moment = momentToReturn(event.code);
    if (moment !== null) {
      setTimeout(connect, moment);
      return;
    }
    wait = Math.min(30000, wait ? wait * 2 : 500);
    setTimeout(connect, wait * (0.7 + 0.6 * Math.random()));
  });
}

// After a sleep a socket may only seem open; a new one is found at once.
let lastLook = Date.now();
setInterval(() => {
  if (Date.now() - lastLook > 2 * LOOK_EVERY) socket?.close();
  lastLook = Date.now();
}, LOOK_EVERY);

mark();
makeWay();
// A table's page tells by its title whose turn it is.
new MutationObserver(mark).observe(document.querySelector("title"), { childList: true });
setTimeout(connect, Number(place.dataset.in) * 1000);
