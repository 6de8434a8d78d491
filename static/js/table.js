// The live table. What is chosen goes over the socket with the version it was decided on and a
// key of its own, so that it can be sent again without being done twice. The frames that come
// back are put in place by values.js; without a socket the plain forms of the page do the same.

import "./able.js";
import { serverNow } from "./clock.js";
import * as frames from "./values.js";
import * as link from "./link.js";
import * as motion from "./motion.js";
import { handInWords } from "./hand-words.js";
import { choice } from "./my-table.js";
import {
  CROWDED, LOGGED_OUT, NOT_HERE, RESTART, RESTART_TAKES, spreadReturn, TOO_MANY,
} from "./sockets.js";
import { throwIn, throwInAgain } from "./throw-in.js";

const room = document.getElementById("room");
const notices = document.getElementById("notices");
const lost = document.getElementById("lost");
const title = document.title;

const ANSWER_WITHIN = 3000;
const NOTE_STAYS = 6000;
const LOST_AFTER = 1000;
// What is told where the same socket is not asked for again, by close codes.
const ENDED = {
  [LOGGED_OUT]: ["You have logged out.", "Load the page again to go on."],
  [NOT_HERE]: ["This table is not open to you any more.", ""],
  [TOO_MANY]: ["Too many tabs or messages.", "Close some and load the page again."],
};
const CROWD = ["Very many pages are open from your network.", "This one is tried again by itself."];

const GUARD = Number(room.dataset.guard); // milliseconds for which a new question takes no press

const asked = { version: "", at: -Infinity }; // the version at which something was asked last, and when
const proposed = { words: "", at: -Infinity }; // what was proposed last, and when
let clickedAt = 0;
let held = false; // whether a key repeats itself
let pending = null; // the last decision, until it is answered and the picture has moved on
let wasLive = false; // whether the socket has been open at all
let lostAt = ""; // the version that was shown when it was lost
let ending = null; // how the game that is over ended, for who has not asked for the next
let going = false; // whether another page is being loaded
let refreshTimer = 0;
let quickened = room.dataset.quick === "yes"; // whether the server knows that house players may be quick
let lostTimer = 0; // until it is told that the line is lost
let takenBack = {}; // the last decision that was taken back, which may have arrived all the same
let over = false; // whether no socket is asked for again
let noteTimer = 0; // until a note goes
let backBy = -Infinity; // until when a server that starts again is expected back

const stamp = () => document.getElementById("stamp").getAttribute("value");
const question = () => document.getElementById("question");
const waitsFor = () => question().dataset.waitsFor ?? "";

// Whether a decision is not done yet; one that has been shown already only waits for its answer.
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

document.addEventListener("click", (event) => { clickedAt = event.timeStamp; }, true);
document.addEventListener("keydown", (event) => { held = event.repeat; }, true);
document.addEventListener("keyup", () => { held = false; }, true);

// A press that was meant for what was asked before: the second of a double one, or a key held down.
// A sheet that somebody opened is not what a new question of the game stands on.
function meantForTheLast(button) {
  const since = button?.closest("[popover]") ? proposed.at : Math.max(asked.at, proposed.at);
  return held || clickedAt - since < GUARD;
}

document.getElementById("act").addEventListener("submit", (event) => {
  const button = event.submitter;
  if (wasLive && meantForTheLast(button)) {
    event.preventDefault();
  } else if (button?.dataset.why) {
    event.preventDefault();
    refuse(button.dataset.why);
  } else if (wasLive) {
    event.preventDefault();
    if (button && !deciding() && confirmed(button)) decide(button);
  }
});

// A card that is pressed is played; by somebody's choice only at a second press.
function confirmed(button) {
  if (choice("confirm") !== "two" || !button.dataset.card || button.dataset.chosen === "now") return true;
  choose(button, "now");
  say(`${label(button)}: press again to play it.`);
  return false;
}

// Choosing ahead: a card pressed before its turn is played when the turn has come, if it may be.
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
  if (!card || !wasLive || !document.querySelector(".trick .spot:not([hidden])")) return;
  if (card.dataset.chosen) {
    unchoose();
    say(`${label(card)}: not chosen any more.`);
  } else {
    choose(card, "ahead");
    say(`${label(card)}: played when it is your turn, if it may be.`);
  }
});

function playByItself() {
  const ahead = hand().querySelector('[data-chosen="ahead"]');
  if (waitsFor() !== "card" || deciding()) return;
  const [card, ...others] = hand().querySelectorAll("button[data-card]");
  const last = card && !others.length && choice("last") === "itself" ? card : null;
  if (ahead?.value.startsWith("play ") && ahead.getAttribute("aria-disabled") !== "true") decide(ahead);
  else if (last?.value.startsWith("play ")) decide(last);
  else if (ahead) unchoose();
}

function decide(button) {
  if (over) {
    refuse("Load the page again to play on.");
    return;
  }
  notices.replaceChildren();
  refuse("");
  unchoose();
  noteFocus();
  button.setAttribute("aria-pressed", "true");
  room.setAttribute("aria-busy", "true");
  const message = { action: actionText(button), version: stamp(), key: newKey() };
  if (message.version === takenBack.version && message.action === takenBack.action) message.key = takenBack.key;
  const takeBack = message.action.startsWith("play ") ? motion.lay(button) : () => {};
  pending = { message, button, takeBack, done: false, shown: false, sent: false, timer: 0 };
  post();
  if (!pending.sent && performance.now() > backBy) sayLost();
}

function post() {
  const sent = send(pending.message);
  pending.sent ||= sent;
  clearTimeout(pending.timer);
  // A socket that does not answer is given up; the next one is asked again with the same key.
  if (sent) pending.timer = setTimeout(() => link.giveUp(room), ANSWER_WITHIN);
}

function unlock() {
  clearTimeout(pending.timer);
  pending.button.removeAttribute("aria-pressed");
  pending.takeBack();
  room.removeAttribute("aria-busy");
}

// Until the picture has moved on, one decision keeps the table closed to the next. The picture
// may come before the answer.
function unlockIfShown() {
  if (!pending || pending.shown || stamp() === pending.message.version) return;
  unlock();
  if (pending.done) pending = null;
  else pending.shown = true;
}

function answered({ key, kind, message }) {
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
    // Whoever wanted the next hand has it, though another was quicker to say so.
    if (action !== "next") note("warn", "The table moved on while you chose.", arrived ? "What you took back had arrived." : "This is how it stands; nothing of yours was played.");
    send({ have: frames.have() }); // the present picture, should this one be wrong
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

// Verbs asked of the table; taking a seat or leaving it changes who looks, so that loads the page.
document.getElementById("verb").addEventListener("submit", async (event) => {
  const button = event.submitter;
  const address = button?.getAttribute("formaction") ?? "";
  if (!openSocket() || /\/(sit|stand|ask|leave)$/.test(address)) {
    going = true;
    return;
  }
  event.preventDefault();
  if (meantForTheLast(button)) return;
  if (address.endsWith("/again")) ending = null;
  if (button.getAttribute("aria-disabled")) return;
  button.setAttribute("aria-disabled", "true");
  const sheet = button.closest("[popover]"); // the picture may come before the answer, without the button
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

// The socket ----------------------------------------------------------------------------------

function showLink(word, lost) {
  link.showLink(word, lost);
  room.toggleAttribute("data-lost", lost);
}

// A socket is open for a moment, too, where it finds no room; once it has told something, it has.
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
  sayPace();
  throwInAgain(send);
  if (pending && !pending.done && !pending.shown) post();
});

// House players take less time where everybody who plays wants the cards fast; the server is told
// what differs from what it was told last.
function sayPace() {
  const quick = ["fast", "off"].includes(choice("speed"));
  if (hand().dataset.seat && quick !== quickened && send({ quick })) quickened = quick;
}

document.addEventListener("chosen", ({ detail }) => { if (detail === "speed") sayPace(); });

room.addEventListener("htmx:ws:close", (event) => {
  const ended = ENDED[event.detail.code];
  if (ended) {
    event.detail.connection.config.reconnect = false;
    over = true;
    lost.hidden = true;
    note("bad", ...ended);
  }
  if (event.detail.code === CROWDED) {
    clearTimeout(lostTimer);
    if (!notices.querySelector("[data-crowd]")) note("warn", ...CROWD);
    notices.firstChild.dataset.crowd = "yes";
    showLink("No line", true);
    return;
  }
  if (!wasLive && !ended) return;
  lostAt ||= stamp();
  showLink("No line", true);
  clearTimeout(lostTimer);
  const now = performance.now();
  if (event.detail.code === RESTART) backBy = now + RESTART_TAKES;
  // A server that starts again is back before anybody has read it.
  const soon = event.detail.code === link.DEAD ? 0 : LOST_AFTER;
  if (!ended) lostTimer = setTimeout(() => sayLost(), Math.max(soon, backBy - now));
});

// more: what else is to be said than whether something waits for the line.
function sayLost(more) {
  const waits = deciding() && !pending.done;
  const what = waits ? label(pending.button) : "";
  const going = pending?.message.action.startsWith("play ")
    ? `Your ${what.split(" of ")[0].toLowerCase()} is played when we are back.`
    : `“${what}” goes through when we are back.`;
  const text = more ?? (waits ? going : "Nothing you did is lost.");
  document.getElementById("lost-more").textContent = text;
  document.getElementById("take-back").hidden = !waits;
  lost.hidden = false;
  say(`The line is lost. ${text}`);
}

document.getElementById("try-now").addEventListener("click", () => link.tryNow(room));

// What was sent over a line that then died may have arrived.
document.getElementById("take-back").addEventListener("click", () => {
  const { sent, message } = pending;
  unlock();
  pending = null;
  if (sent) takenBack = message;
  sayLost(sent ? "It is not sent again. If it has arrived, it counts." : undefined);
});

// What stands on a button: of a card only which it is.
function label(button) {
  return (button.getAttribute("aria-label") ?? button.textContent).split(",")[0].trim();
}

room.addEventListener("htmx:before:ws:message", (event) => {
  const message = event.detail.message.json;
  if (message?.answer) answered(message.answer);
  else if (message?.version) take(frames.news(message));
  if (message?.done) answered({ key: message.done, kind: "done" });
});

function take(frame) {
  const standing = frames.standing(frame);
  if (standing === frames.MISSED) {
    send({ have: frames.have() });
  } else if (standing === frames.FOLLOWS) {
    noteFocus();
    // Cards travel from one picture to the next, not over what has been missed.
    const before = frame.from === 0 || lostAt ? null : motion.measure();
    frames.show(frame);
    if (frame.back || frame.from === 0) unchoose(); // what was chosen ahead was for another trick
    motion.play(before);
    if (frame.say) tell(frame);
    shown();
    room.dispatchEvent(new Event("shown"));
  }
}

const shows = () => ({ have: frames.have() });
link.beat(room, shows);
link.watchLine(room, shows);
spreadReturn(room);

// After each picture --------------------------------------------------------------------------

let focused = "";

function noteFocus() {
  const place = document.activeElement?.closest("#hand, #prompt");
  if (place) focused = place.id;
  else if (document.activeElement !== document.body) focused = "";
}

// One sentence for each event, then the viewer's hand when it has been dealt, and what is asked.
let inHand = cardsInHand();

function cardsInHand() {
  return hand().querySelectorAll("button").length;
}

function tell(frame) {
  const before = inHand;
  inHand = cardsInHand();
  const told = [frame.say];
  if (inHand > before + 1) told.push(handInWords()); // one more is the turn-up, which the dealer takes
  if (waitsFor() && frame.own && "question" in frame.own) told.push(question().dataset.heard ?? `${document.getElementById("ask").textContent}.`);
  say(told.join(" "));
}

function shown() {
  // Somebody who has sat down or stood up in another tab sees the table from elsewhere.
  const seat = (id) => document.getElementById(id).dataset.seat;
  if (!going && seat("hand") !== seat("stage")) location.reload();
  unlockIfShown();
  keepFocus();
  tellWhatHappened();
  document.title = waitsFor() ? `Your turn · ${title}` : title;
  scheduleRefresh();
  keepEnding();
  readyInvitation();
  sayLift();
  throwIn(send);
  const log = document.getElementById("log");
  log.scrollTop = log.scrollHeight;
  countDown();
  playByItself();
  noteWhatIsAsked(); // from when it stands there, however long that took
}

function noteWhatIsAsked() {
  const version = waitsFor() ? stamp() : "";
  const words = document.querySelector("#consenting :is(b, .button)")?.textContent ?? "";
  const now = performance.now();
  if (version && version !== asked.version) asked.at = now;
  if (words && words !== proposed.words) proposed.at = now;
  asked.version = version;
  proposed.words = words;
}

// Whoever was in the hand or the prompt stays there, at the first thing to do.
function keepFocus() {
  const active = document.activeElement;
  const prompt = document.getElementById("prompt");
  const lost = active === document.body || active === prompt;
  if (!focused || !lost) return;
  const card = document.querySelector('#hand[data-choose] button:not([aria-disabled="true"])');
  // At the end of a hand or a game: to the first thing that can be done then.
  const first = document.querySelector("#tally:not([hidden]) ~ .prompt > #question .button, .prompt:has(> .story:not([hidden])) > #question .button");
  (card ?? first ?? prompt).focus({ preventScroll: true });
}

function tellWhatHappened() {
  if (!lostAt || !openSocket()) return;
  const [game, version] = stamp().split(".").map(Number);
  const [oldGame, oldVersion] = lostAt.split(".").map(Number);
  lostAt = "";
  const events = version - oldVersion;
  if (game !== oldGame) note("", "Back at the table.", "Another game has begun meanwhile.");
  else if (events > 0) note("", "Back at the table.", `Meanwhile: ${events} ${events === 1 ? "event" : "events"}, told in the log.`);
}

// Whoever still reads how a game ended keeps that, though another has begun the next.
function keepEnding() {
  const story = document.querySelector("#story:not([hidden])");
  if (story) {
    if (!question().querySelector('[formaction$="/again"]')) return;
    const head = question().cloneNode(true);
    head.querySelectorAll("button, #why").forEach((one) => one.remove());
    ending = [head, story.cloneNode(true)];
    for (const one of [...ending, ...head.querySelectorAll("[id]")]) one.removeAttribute("id");
  } else if (ending) {
    const sheet = document.getElementById("ended");
    sheet.querySelectorAll(":not(.note, .button)").forEach((one) => one.remove());
    sheet.querySelector(".note").after(...ending);
    sheet.showPopover();
    ending = null;
  }
}

function scheduleRefresh() {
  clearTimeout(refreshTimer);
  const seconds = Number(document.getElementById("line").dataset.refreshIn);
  if (seconds) refreshTimer = setTimeout(() => send({ have: frames.have() }), seconds * 1000);
}

function readyInvitation() {
  const invite = document.getElementById("invite");
  if (invite) invite.value = new URL(invite.getAttribute("value"), location.href).href;
}

// A picture that comes again leaves the slider where it is.
function sayLift() {
  const lift = document.getElementById("lift");
  if (lift) lift.parentElement.querySelector("output").value = lift.value;
}

document.addEventListener("input", (event) => {
  if (event.target.id === "lift") sayLift();
});
document.addEventListener("focusin", (event) => {
  if (event.target.id === "invite") event.target.select();
});

// What is proposed can be answered until a moment by the server's clock.
function countDown() {
  for (const one of document.querySelectorAll(".until")) {
    const left = Math.ceil(Number(one.dataset.until) - serverNow());
    one.textContent = left > 0 ? `${left} s` : "";
  }
}

setInterval(countDown, 250);

for (const one of document.querySelectorAll(".needs-script")) one.hidden = false;
shown();
