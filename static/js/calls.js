// Calls to the viewer, on any page: to the table, to check in. The page is rendered with the calls of
// that moment; later ones come over a socket, which is opened after a delay that the server sets.
// The same socket says on the page of the viewer's own table when its time is up.

import { knock } from "./knock.js";
import { ENDED, reconnectDelay } from "./sockets.js";

const place = document.getElementById("calls");
const PREFIX = "Called · ";
const CHECK_EVERY = 20000; // ms

// A call covers part of the table, so there it can be dismissed; the page's title keeps showing it.
const table = document.getElementById("stage");
const dismissed = new Set();
const tableEnd = document.getElementById("table-end");

let socket = null;
let wait = 0; // ms before the next attempt

const paths = (root) => [...root.querySelectorAll("a")].map((link) => link.getAttribute("href"));

function show(html) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  const before = paths(place);
  const now = paths(fresh.content);
  // Unchanged calls are left alone, so that screen readers do not repeat them.
  if (now.join() !== before.join()) place.replaceChildren(fresh.content);
  if (now.some((path) => !before.includes(path))) {
    [420, 520, 620].forEach((pitch, n) => knock(pitch, n * 0.15));
  }
  markTitle();
  addDismissButtons();
}

function addDismissButtons() {
  if (!table) return;
  for (const call of place.children) {
    const [path] = paths(call);
    call.hidden = dismissed.has(path);
    if (call.querySelector("button")) continue;
    const later = document.createElement("button");
    later.type = "button";
    later.className = "button plain";
    later.textContent = "Not now";
    later.addEventListener("click", () => {
      dismissed.add(path);
      call.hidden = true;
      document.getElementById("prompt").focus();
    });
    call.append(later);
  }
}

function markTitle() {
  const title = document.title.replace(PREFIX, "");
  const marked = place.childElementCount ? PREFIX + title : title;
  if (document.title !== marked) document.title = marked;
}

// The link to the running game, in the head of pages that are not the table's own.
const turnLink = document.getElementById("your-turn");
const said = document.getElementById("turn-said");
const SAID_KEY = "bower.turn"; // the last turn that a page of this tab has said

// Each turn is said once, not again by every page that is opened meanwhile.
function isNew(turn) {
  try {
    const before = sessionStorage.getItem(SAID_KEY);
    sessionStorage.setItem(SAID_KEY, turn);
    return turn !== before;
  } catch {
    return true; // storage may be blocked
  }
}

// turn: table and version, such as "12 57", or null.
function showTurn(turn) {
  turnLink.classList.toggle("now", turn !== null);
  if (turn === null) {
    said.textContent = "";
    return;
  }
  const [table] = turn.split(" ");
  turnLink.href = turnLink.href.replace(/\d+(?=\/$)/, table);
  turnLink.querySelectorAll("b").forEach((number) => { number.textContent = table; });
  if (isNew(turn)) said.textContent = `Your turn at table ${table}`;
}

function connect() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const at = encodeURIComponent(location.pathname);
  socket = new WebSocket(`${scheme}//${location.host}${place.dataset.socket}?at=${at}`);
  socket.addEventListener("open", () => { wait = 0; });
  socket.addEventListener("message", (event) => {
    const { calls, end, turn } = JSON.parse(event.data);
    if (calls !== undefined) show(calls);
    if (tableEnd && end !== undefined && tableEnd.textContent !== end) tableEnd.textContent = end;
    if (turnLink && turn !== undefined) showTurn(turn);
  });
  socket.addEventListener("close", (event) => {
    if (ENDED.includes(event.code)) return;
    const delay = reconnectDelay(event.code);
    if (delay !== null) {
      setTimeout(connect, delay);
      return;
    }
    wait = Math.min(30000, wait ? wait * 2 : 500);
    setTimeout(connect, wait * (0.7 + 0.6 * Math.random()));
  });
}

// After the computer has slept a socket may only seem open; closing it gets a new one at once.
let lastCheck = Date.now();
setInterval(() => {
  if (Date.now() - lastCheck > 2 * CHECK_EVERY) socket?.close();
  lastCheck = Date.now();
}, CHECK_EVERY);

markTitle();
addDismissButtons();
// The table's script sets the title when it is the viewer's turn, which drops the prefix.
new MutationObserver(markTitle).observe(document.querySelector("title"), { childList: true });
setTimeout(connect, Number(place.dataset.in) * 1000);
