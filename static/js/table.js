// The live table. An action is sent over the socket with the version of the table it was chosen at and
// an idempotency key, so that it can be sent again without being done twice. values.js applies the frames
// that come back; without a socket the page's plain forms do the same.

import "./able.js";
import { serverNow } from "./clock.js";
import * as frames from "./values.js";
import * as link from "./link.js";
import * as motion from "./motion.js";
import { news } from "./wording.js";
import { handInWords } from "./hand-words.js";
import { choice } from "./my-table.js";
import {
  CROWDED, LOGGED_OUT, NOT_HERE, RESTART, RESTART_TAKES, spreadReconnects, TOO_MANY,
} from "./sockets.js";
import { throwIn, throwInAgain } from "./throw-in.js";

const room = document.getElementById("room");
const notices = document.getElementById("notices");
const lost = document.getElementById("lost");
const title = document.title;

// All times are in ms.
const ANSWER_WITHIN = 3000;
const NOTE_STAYS = 6000;
const LOST_AFTER = 1000;
const CLICK_FOLLOWS = 500; // at most, after the end of its press
// Shown when the page does not reconnect, by close code.
const ENDED = {
  [LOGGED_OUT]: ["You have logged out.", "Reload the page to continue."],
  [NOT_HERE]: ["You no longer have access to this table.", ""],
  [TOO_MANY]: ["Too many tabs or messages.", "Close some tabs and reload the page."],
};
const CROWD = ["Too many pages are open on your network.", "This one will try again soon."];

const GUARD = Number(room.dataset.guard); // how long a new question ignores presses

const asked = { version: "", at: -Infinity }; // the table's version at the question, and when that came or went
const proposed = { words: "", at: -Infinity }; // the last proposal, and when it was shown
const press = { at: -Infinity, last: -Infinity, up: -Infinity, held: false }; // times of a finger, the mouse or a key
let keyRepeats = false; // true while a key is held down
let pending = null; // the last decision, until it is answered and the table shows its result
let wasLive = false; // true once the socket has been open
let lostAt = ""; // the version shown when the connection was lost
let ending = null; // the end of the last game, kept until the viewer asks for the next
let leaving = false; // true while another page loads
let refreshTimer = 0;
let sentQuick = room.dataset.quick === "yes"; // the pace of house players that the server knows
let lostTimer = 0; // delays the message that the connection is lost
let takenBack = {}; // the last decision that was taken back; it may have reached the server
let disconnected = false; // true once the page no longer reconnects
let noteTimer = 0; // removes a note
let backBy = -Infinity; // when a restarting server is expected back

const stamp = () => document.getElementById("stamp").getAttribute("value");
const question = () => document.getElementById("question");
const waitsFor = () => question().dataset.waitsFor ?? "";

// True while a decision is pending; one whose result is already shown only waits for the answer.
const deciding = () => pending !== null && !pending.shown;

const openSocket = () => link.openSocket(room);
const send = (message) => link.send(room, message);

// Deciding ------------------------------------------------------------------------------------

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function actionText(button) {
  if (button.value === "cut") return `cut ${document.getElementById("lift").value}`;
  const alone = document.querySelector('[name="alone"]:checked');
  return alone && button.value.startsWith("make ") ? `${button.value} alone` : button.value;
}

// A press counts from its beginning, and one of several quick ones from the beginning of the first.
function beginPress({ timeStamp }) {
  if (timeStamp - press.last >= GUARD) press.at = timeStamp;
  press.last = timeStamp;
  press.held = true;
}

function endPress({ timeStamp }) {
  if (press.held) press.up = timeStamp;
  press.held = false;
}

document.addEventListener("pointerdown", beginPress, true);
document.addEventListener("pointerup", endPress, true);
document.addEventListener("keydown", (event) => {
  keyRepeats = event.repeat;
  if (!keyRepeats) beginPress(event);
}, true);
document.addEventListener("keyup", (event) => {
  keyRepeats = false;
  endPress(event);
}, true);
// Screen readers and voice control click without a press.
document.addEventListener("click", ({ timeStamp }) => {
  if (!press.held && timeStamp - press.up > CLICK_FOLLOWS) press.at = timeStamp;
}, true);

// True for a press that was meant for what was shown before: it began before this question, or a key is held
// down. A popover covers the game's questions, so there only proposals count.
function isStalePress(button) {
  const since = button?.closest("[popover]") ? proposed.at : Math.max(asked.at, proposed.at);
  return keyRepeats || press.at - since < GUARD;
}

document.getElementById("act").addEventListener("submit", (event) => {
  const button = event.submitter;
  if (wasLive && isStalePress(button)) {
    event.preventDefault();
  } else if (button?.dataset.why) {
    event.preventDefault();
    refuse(button.dataset.why);
  } else if (wasLive) {
    event.preventDefault();
    if (button && !deciding() && confirmed(button)) decide(button);
  }
});

// False for the first press on a card, if the viewer has chosen to confirm with a second one.
function confirmed(button) {
  if (choice("confirm") !== "two" || !button.dataset.card || button.dataset.chosen === "now") return true;
  choose(button, "now");
  say(`${label(button)}: press again to play it.`);
  return false;
}

// Choosing ahead: a card pressed before the viewer's turn is played on that turn, if it is legal.
const hand = () => document.getElementById("hand");

function choose(card, when) {
  unchoose();
  card.dataset.chosen = when;
}

function unchoose() {
  hand().querySelector("[data-chosen]")?.removeAttribute("data-chosen");
}

document.addEventListener("click", ({ target }) => {
  const card = target.closest('#hand button[type="button"]');
  if (!card || !wasLive || isStalePress(card) || !document.querySelector(".trick .spot:not([hidden])")) return;
  if (card.dataset.chosen) {
    unchoose();
    say(`${label(card)}: no longer chosen.`);
  } else {
    choose(card, "ahead");
    say(`${label(card)}: to be played on your turn, if it is legal.`);
  }
});

function playAutomatically() {
  const ahead = hand().querySelector('[data-chosen="ahead"]');
  if (waitsFor() !== "card" || deciding()) return;
  const [card, ...others] = hand().querySelectorAll("button[data-card]");
  const last = card && !others.length && choice("last") === "itself" ? card : null;
  if (ahead?.value.startsWith("play ") && ahead.getAttribute("aria-disabled") !== "true") decide(ahead);
  else if (last?.value.startsWith("play ")) decide(last);
  else if (ahead) unchoose();
}

function decide(button) {
  if (disconnected) {
    refuse("Reload the page to keep playing.");
    return;
  }
  notices.replaceChildren();
  refuse("");
  unchoose();
  rememberFocus();
  button.setAttribute("aria-pressed", "true");
  room.setAttribute("aria-busy", "true");
  const message = { action: actionText(button), version: stamp(), key: newKey() };
  if (message.version === takenBack.version && message.action === takenBack.action) message.key = takenBack.key;
  const takeBack = message.action.startsWith("play ") ? motion.lay(button) : () => {};
  pending = { message, button, takeBack, done: false, shown: false, sent: false, timer: 0 };
  post();
  if (!pending.sent && performance.now() > backBy) showLost();
}

function post() {
  const sent = send(pending.message);
  pending.sent ||= sent;
  clearTimeout(pending.timer);
  // A socket that does not answer is given up; the next one is sent the same key.
  if (sent) pending.timer = setTimeout(() => link.giveUp(room), ANSWER_WITHIN);
}

function unlock() {
  clearTimeout(pending.timer);
  pending.button.removeAttribute("aria-pressed");
  pending.takeBack();
  room.removeAttribute("aria-busy");
}

// A decision blocks the next one until the table has moved on, which may be before its answer arrives.
function unlockIfShown() {
  if (!pending || pending.shown || stamp() === pending.message.version) return;
  unlock();
  if (pending.done) pending = null;
  else pending.shown = true;
}

function handleAnswer({ key, kind, message }) {
  if (!pending || (key && key !== pending.message.key)) return;
  clearTimeout(pending.timer);
  if (kind === "done") {
    if (pending.shown) pending = null;
    else pending.done = true;
    return;
  }
  unlock();
  const { action, version } = pending.message;
  const arrived = version === takenBack.version;
  pending = null;
  if (kind === "stale") {
    // Somebody else asked for the next hand first: nothing to report.
    if (action !== "next") note("warn", "The table moved on while you chose.", arrived ? "What you took back had already arrived." : "Your choice was not played.");
    send({ have: frames.have() }); // fetches the current state, in case this one is wrong
  } else if (kind === "failed") {
    note("bad", "That was not saved.", "Nothing has changed at the table; try again.");
  } else {
    refuse(message);
  }
}

function refuse(why) {
  const place = document.getElementById("why");
  if (place) {
    place.textContent = why;
    place.hidden = !why;
  }
  if (why) say(why);
}

function say(text) {
  document.getElementById("live").textContent = text;
}

function note(kind, strong, text) {
  const [line, words, bold] = ["p", "span", "b"].map((tag) => document.createElement(tag));
  line.className = `note ${kind}`;
  bold.textContent = strong;
  words.append(bold, ` ${text}`);
  line.append(words);
  notices.replaceChildren(line);
  clearTimeout(noteTimer);
  if (kind !== "bad") noteTimer = setTimeout(() => { if (!line.dataset.crowd) line.remove(); }, NOTE_STAYS);
}

// Actions on the table itself. Taking or leaving a seat changes the viewer, so that reloads the page.
document.getElementById("verb").addEventListener("submit", async (event) => {
  const button = event.submitter;
  const address = button?.getAttribute("formaction") ?? "";
  if (!openSocket() || /\/(sit|stand|ask|leave)$/.test(address)) {
    leaving = true;
    return;
  }
  event.preventDefault();
  if (isStalePress(button)) return;
  if (address.endsWith("/again")) ending = null;
  if (button.getAttribute("aria-disabled")) return;
  if (address.endsWith("/hint")) {
    button.closest("[popover]")?.hidePopover();
    askForHint(event.target, button);
    return;
  }
  button.setAttribute("aria-disabled", "true");
  const sheet = button.closest("[popover]"); // the update may remove the button before the answer
  try {
    const body = new FormData(event.target, button);
    const headers = { "HX-Request": "true" };
    const answer = await fetch(address, { method: "POST", body, headers });
    if (sheet) document.querySelectorAll(":popover-open").forEach((one) => one.hidePopover());
    if (!answer.ok) note("bad", await answer.text(), "");
  } catch {
    note("bad", "The table could not be reached.", "Try again.");
  }
  button.removeAttribute("aria-disabled");
});

async function askForHint(form, button) {
  const version = stamp();
  try {
    const hint = await import(room.dataset.hint);
    if (stamp() === version) hint.ask(form, button, frames.put);
  } catch {
    refuse("No hint this time.");
  }
}

// The socket ----------------------------------------------------------------------------------

function showLink(word, lost) {
  link.showLink(word, lost);
  room.toggleAttribute("data-lost", lost);
}

// A refused socket is open for a moment too, so only a message proves that there was room for it.
room.addEventListener("htmx:before:ws:message", () => {
  notices.querySelector("[data-crowd]")?.remove();
});

room.addEventListener("htmx:after:ws:connection", () => {
  showLink("Live", false);
  clearTimeout(lostTimer);
  backBy = -Infinity;
  lost.hidden = true;
  wasLive = true;
  send({ have: frames.have() });
  sendPace();
  throwInAgain(send);
  if (pending && !pending.done && !pending.shown) post();
});

// House players play faster if everybody at the table wants fast cards; the server is sent changes only.
function sendPace() {
  const quick = ["fast", "off"].includes(choice("speed"));
  if (hand().dataset.seat && quick !== sentQuick && send({ quick })) sentQuick = quick;
}

document.addEventListener("chosen", ({ detail }) => { if (detail === "speed") sendPace(); });

room.addEventListener("htmx:ws:close", (event) => {
  const ended = ENDED[event.detail.code];
  if (ended) {
    event.detail.connection.config.reconnect = false;
    disconnected = true;
    lost.hidden = true;
    note("bad", ...ended);
  }
  if (event.detail.code === CROWDED) {
    clearTimeout(lostTimer);
    if (!notices.querySelector("[data-crowd]")) note("warn", ...CROWD);
    notices.firstChild.dataset.crowd = "yes";
    showLink("Offline", true);
    return;
  }
  if (!wasLive && !ended) return;
  lostAt ||= stamp();
  showLink("Offline", true);
  clearTimeout(lostTimer);
  const now = performance.now();
  if (event.detail.code === RESTART) backBy = now + RESTART_TAKES;
  // A restart is usually over before anybody could read the message.
  const delay = event.detail.code === link.DEAD ? 0 : LOST_AFTER;
  if (!ended) lostTimer = setTimeout(() => showLost(), Math.max(delay, backBy - now));
});

// more: replaces the sentence about whether a decision waits to be sent.
function showLost(more) {
  const waits = deciding() && !pending.done;
  const chosen = waits ? label(pending.button) : "";
  const waiting = pending?.message.action.startsWith("play ")
    ? `Your ${chosen.split(" of ")[0].toLowerCase()} is played once you are back.`
    : `“${chosen}” is sent once you are back.`;
  const text = more ?? (waits ? waiting : "Nothing you did is lost.");
  document.getElementById("lost-more").textContent = text;
  document.getElementById("take-back").hidden = !waits;
  lost.hidden = false;
  say(`Connection lost. ${text}`);
}

document.getElementById("try-now").addEventListener("click", () => link.reconnectNow(room));

// A message sent just before the connection died may have arrived.
document.getElementById("take-back").addEventListener("click", () => {
  const { sent, message } = pending;
  unlock();
  pending = null;
  if (sent) takenBack = message;
  showLost(sent ? "It will not be sent again. If it already arrived, it counts." : undefined);
});

// The text of a button; for a card only its name.
function label(button) {
  return (button.getAttribute("aria-label") ?? (button.querySelector("b") ?? button).textContent).split(",")[0].trim();
}

room.addEventListener("htmx:before:ws:message", (event) => {
  const message = event.detail.message.json;
  if (message?.answer) handleAnswer(message.answer);
  else if (message?.version) receive(frames.unseenPart(message));
  if (message?.done) handleAnswer({ key: message.done, kind: "done" });
});

function receive(frame) {
  const order = frames.orderOf(frame);
  if (order === frames.GAP) {
    send({ have: frames.have() });
  } else if (order === frames.NEXT) {
    rememberFocus();
    // Cards are animated from one state to the next, not across missed ones.
    const before = frame.from === 0 || lostAt ? null : motion.measure();
    const read = document.querySelector("#all-hands:popover-open > #all-hands-cards")?.cloneNode(true);
    frames.apply(frame);
    if (read && document.querySelector("#all-hands .hands[hidden]")) keepReading("hand", "the table", [read]);
    if (frame.back || frame.from === 0) unchoose(); // a card chosen ahead was for another trick
    motion.play(before);
    if (frame.say) announce(frame);
    afterUpdate();
    room.dispatchEvent(new Event("shown"));
  }
}

const state = () => ({ have: frames.have() });
link.beat(room, state);
link.watchConnection(room, state);
spreadReconnects(room);

// After each update ---------------------------------------------------------------------------

let focused = "";

function rememberFocus() {
  const place = document.activeElement?.closest("#hand, #prompt");
  if (place) focused = place.id;
  else if (document.activeElement !== document.body) focused = "";
}

// For screen readers: a sentence for each event, the viewer's hand when it has been dealt, the question.
let inHand = cardsInHand();

function cardsInHand() {
  return [...hand().querySelectorAll("button")].map((one) => one.dataset.card);
}

function announce(frame) {
  const before = inHand;
  inHand = cardsInHand();
  const sentences = [news(frame.say)];
  const fresh = inHand.filter((card) => !before.includes(card)); // a single one is the turn-up or the partner's best
  if (fresh.length > 1) sentences.push(handInWords());
  else if (fresh.length && before.length === 4) sentences.push(...[...hand().querySelectorAll("[data-taken]")].map((one) => `${one.getAttribute("aria-label")}.`));
  if (waitsFor() && frame.own && "question" in frame.own) sentences.push(question().dataset.heard ?? `${document.getElementById("ask").textContent}.`);
  say(sentences.join(" "));
}

function afterUpdate() {
  // After taking or leaving a seat in another tab the table has to be seen from there.
  const seat = (id) => document.getElementById(id).dataset.seat;
  if (!leaving && seat("hand") !== seat("stage")) location.reload();
  unlockIfShown();
  keepFocus();
  noteMissedEvents();
  document.title = waitsFor() ? `Your turn · ${title}` : title;
  scheduleRefresh();
  keepEnding();
  showCompany();
  completeInvitation();
  showLift();
  throwIn(send);
  const log = document.getElementById("log");
  log.scrollTop = log.scrollHeight;
  countDown();
  playAutomatically();
  rememberQuestions(); // last, since presses count from when the question can be seen
}

function rememberQuestions() {
  const version = waitsFor() ? stamp() : "";
  const words = document.querySelector("#consenting :is(b, .button)")?.textContent ?? "";
  const now = performance.now();
  if (version !== asked.version) asked.at = now;
  if (words && words !== proposed.words) proposed.at = now;
  asked.version = version;
  proposed.words = words;
}

// Focus that was in the hand or the prompt stays there, on the first possible action.
function keepFocus() {
  const active = document.activeElement;
  const prompt = document.getElementById("prompt");
  const lost = active === document.body || active === prompt;
  if (!focused || !lost) return;
  // Where there is a button too, a card is not meant until it is chosen.
  const card = waitsFor() === "card" && document.querySelector('#hand[data-choose] button:not([aria-disabled="true"])');
  // At the end of a hand or a game: the first button.
  const first = document.querySelector("#tally:not([hidden]) ~ .prompt > #question .button, #question[data-waits-for='next'] .button, .prompt:has(.story:not([hidden])) > #question .button");
  (card || first || prompt).focus({ preventScroll: true });
}

function noteMissedEvents() {
  if (!lostAt || !openSocket()) return;
  const [game, version] = stamp().split(".").map(Number);
  const [oldGame, oldVersion] = lostAt.split(".").map(Number);
  lostAt = "";
  const events = version - oldVersion;
  if (game !== oldGame) note("", "Back at the table.", "Another game has started in the meantime.");
  else if (events > 0) note("", "Back at the table.", `You missed ${events} ${events === 1 ? "event" : "events"}: see the log.`);
}

// Keep the end of a game open for a viewer who is reading it when somebody else starts the next.
function keepEnding() {
  const story = document.querySelector("#story:not([hidden])");
  if (story) {
    if (!question().querySelector('[formaction$="/again"]')) return;
    const head = question().cloneNode(true);
    head.querySelectorAll("button, #why").forEach((one) => one.remove());
    ending = [head, story.cloneNode(true)];
  } else if (ending) {
    keepReading("game", "the new game", ending);
    ending = null;
  }
}

// what: has begun; to: where the sheet's button leads.
function keepReading(what, to, parts) {
  const sheet = document.getElementById("ended");
  sheet.querySelectorAll(":scope > :not(.note, .button)").forEach((one) => one.remove());
  for (const one of parts) {
    for (const named of [one, ...one.querySelectorAll("[id]")]) named.removeAttribute("id");
  }
  const [note, button] = [sheet.querySelector(".note"), sheet.querySelector(":scope > .button")];
  note.textContent = `The next ${what} has begun.`;
  button.textContent = `To ${to}`;
  note.after(...parts);
  sheet.showPopover();
}

// At the end of a game.
const company = document.getElementById("played-with");

function showCompany() {
  if (company?.hidden) company.replaceChildren();
  else if (company) import(room.dataset.company).then((loaded) => loaded.show()).catch(() => {});
}

function scheduleRefresh() {
  clearTimeout(refreshTimer);
  const seconds = Number(document.getElementById("line").dataset.refreshIn);
  if (seconds) refreshTimer = setTimeout(() => send({ have: frames.have() }), seconds * 1000);
}

function completeInvitation() {
  const invite = document.getElementById("invite");
  if (invite) invite.value = new URL(invite.getAttribute("value"), location.href).href;
}

// Updates do not move the slider, so its value is shown from the slider itself.
function showLift() {
  const lift = document.getElementById("lift");
  if (lift) lift.parentElement.querySelector("output").value = lift.value;
}

document.addEventListener("input", (event) => {
  if (event.target.id === "lift") showLift();
});
document.addEventListener("focusin", (event) => {
  if (event.target.id === "invite") event.target.select();
});

// The seconds left to answer proposals, by the server's clock.
function countDown() {
  for (const one of document.querySelectorAll(".until")) {
    const left = Math.ceil(Number(one.dataset.until) - serverNow());
    one.textContent = left > 0 ? `${left} s` : "";
  }
}

setInterval(countDown, 250);

for (const one of document.querySelectorAll(".needs-script")) one.hidden = false;
afterUpdate();
