// The score card of a table in the room. What is written is kept on this phone and sent in order, one
// line after another; each has a key, so that one sent again after a lost reply is stored once. What the
// server refuses is said in its words. A small service worker opens the page without a connection.

const PAUSE = 3000; // ms between two attempts to send
const LOOK = 6000; // ms between two looks at what other phones wrote
const PATIENCE = 10000; // ms after which a reply counts as lost

const card = document.getElementById("card");
const line = document.getElementById("link");
const refusals = document.getElementById("refusals");
const place = `score ${location.pathname}`;

let since = null; // when the connection was lost
let sending = false;
let timer = 0;

const slip = () => card.querySelector(".slip");
const kept = () => JSON.parse(localStorage.getItem(place) ?? "[]");

function keep(lines) {
  if (lines.length) localStorage.setItem(place, JSON.stringify(lines));
  else localStorage.removeItem(place);
}

// Sending ---------------------------------------------------------------------------------------

// Not crypto.randomUUID, which a hall's own server without https does not have.
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function ask(path, options = {}) {
  const headers = { "HX-Request": "true", ...options.headers };
  return fetch(path, { ...options, headers, signal: AbortSignal.timeout(PATIENCE) });
}

function post(fields) {
  const token = card.querySelector("[name=csrfmiddlewaretoken]").value;
  return ask(slip().dataset.write, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { "X-CSRFToken": token },
  });
}

async function sendKept() {
  clearTimeout(timer);
  if (sending) return;
  sending = true;
  try {
    let next;
    while ((next = kept()[0])) {
      let answer = await post(next.fields);
      if (answer.status === 403 && !isRefusal(answer)) {
        await look(true); // the page's token is of another session
        answer = await post(next.fields);
      }
      if (answer.status === 429 || answer.status >= 500) throw new Error(`status ${answer.status}`);
      since = null;
      const text = await answer.text();
      keep(kept().filter((one) => one.fields.key !== next.fields.key));
      if (answer.ok) show(text);
      else refuse(next, isRefusal(answer) ? text : "The server refused it.");
    }
  } catch {
    since ??= new Date();
    timer = setTimeout(sendKept, PAUSE);
  }
  sending = false;
  draw();
}

// A refusal is a sentence of the server; other errors are pages.
function isRefusal(answer) {
  return answer.headers.get("Content-Type")?.startsWith("text/plain") ?? false;
}

function refuse(one, sentence) {
  const note = document.getElementById("refused").content.cloneNode(true);
  note.querySelector("b").textContent = `Not stored: ${one.what}`;
  note.querySelector(".why").textContent = sentence;
  refusals.append(note);
}

async function look(always = false) {
  const path = new URL(location.href);
  if (!always) path.searchParams.set("have", slip().dataset.version);
  const answer = await ask(path);
  if (answer.status === 200) show(await answer.text());
  else if (answer.status === 410) location.reload();
}

// Showing ---------------------------------------------------------------------------------------

// Put the server's card in place, but leave alone what is being filled in.
function show(html) {
  const before = document.getElementById("line");
  const asked = (form) => form && `${form.elements.number.value} ${form.elements.kind.value}`;
  const [was, choices] = [asked(before), before ? [...new FormData(before)] : []];
  const open = [...card.querySelectorAll("details[open]")].map(({ id }) => id);
  card.innerHTML = html;
  draw(); // which says for which hand the form is
  const form = document.getElementById("line");
  for (const [name, value] of asked(form) === was ? choices : []) {
    const field = form.elements[name];
    if (field?.type === "checkbox") field.checked = true;
    else if (field && field.type !== "hidden") field.value = value;
  }
  for (const more of card.querySelectorAll("details")) if (open.includes(more.id)) more.open = true;
}

// Draw what is kept over the server's card, and say that it is not sent yet.
function draw() {
  for (const box of card.querySelectorAll("[data-was]")) putBack(box);
  const lines = kept();
  const hands = lines.map((one) => one.fields).filter(({ kind }) => kind === "hand" || kind === "take_back");
  for (const fields of hands) drawHand(fields);
  moveOn(hands);
  line.hidden = !lines.length && since === null;
  const names = lines.map((one) => one.what).join(", ");
  const when = since?.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  line.querySelector("b").textContent = lines.length ? "Kept on this phone, will be sent" : "No connection";
  line.querySelector("span").textContent =
    (when ? `No connection since ${when}. ` : "") +
    (lines.length ? `Not sent yet: ${names}. Keep writing; nothing is lost.` : "Trying again automatically.");
}

function change(box, text, marks) {
  if (!box) return;
  if (box.dataset.was === undefined) {
    box.dataset.was = box.textContent;
    box.dataset.marks = ["data-written", "data-alone"].filter((name) => box.hasAttribute(name)).join(" ");
  }
  box.textContent = text;
  for (const [name, on] of Object.entries(marks)) box.toggleAttribute(name, Boolean(on));
}

function putBack(box) {
  box.textContent = box.dataset.was;
  for (const name of ["data-written", "data-alone"]) box.toggleAttribute(name, box.dataset.marks.includes(name));
  for (const name of ["data-was", "data-marks", "data-kept"]) box.removeAttribute(name);
}

function boxOf(number, side) {
  const box = card.querySelector(`[data-box="${number}-${side}"]`);
  if (box) box.closest("table").hidden = false;
  return box;
}

// The side that scores a hand, and its points by the event's rules; -1 and 0 for one thrown in.
function scoreOf({ took, caller, alone, defended }) {
  if (!took || took === "passed") return [-1, 0];
  const worth = JSON.parse(slip().dataset.worth);
  const euchred = took === "none" || took === "few";
  return [euchred ? 1 - caller : Number(caller), worth[took + (alone && defended ? " defended" : alone ? " alone" : "")] ?? worth[took]];
}

function drawHand(fields) {
  const [scored, points] = scoreOf(fields);
  for (const side of [0, 1]) {
    const box = boxOf(fields.number, side);
    const total = card.querySelector(`[data-total="${side}"]`);
    const before = Number(box?.textContent ?? 0);
    const now = side === scored ? points : 0;
    change(box, now || "", { "data-written": now, "data-alone": now && fields.alone, "data-kept": true });
    // Games of a longer match are counted by the server.
    if (total && "adds" in slip().dataset) change(total, Number(total.textContent) + now - before, {});
  }
}

// Let the forms be for what comes after the lines that are kept.
function moveOn(hands) {
  const { next, limit, target, adds, playsOff } = slip().dataset;
  const counted = adds !== undefined && target;
  let number = Number(next);
  const keys = new Map();
  for (const box of card.querySelectorAll("[data-key]")) keys.set(Number(box.dataset.box.split("-")[0]), box.dataset.key);
  for (const fields of hands) {
    const at = Number(fields.number);
    number = fields.kind === "take_back" ? at : Math.max(number, at + 1);
    keys.set(at, fields.key);
  }
  const form = document.getElementById("line");
  if (form && !form.elements.seen.value && form.elements.kind.value === "hand") {
    const points = [0, 1].map((side) => Number(card.querySelector(`[data-total="${side}"]`).textContent));
    const tied = playsOff !== undefined && points[0] === points[1]; // another hand decides
    const over = (limit && number > Number(limit) && !tied) || (counted && Math.max(...points) >= Number(target));
    form.hidden = hands.length > 0 && Boolean(over);
    form.elements.number.value = number;
    form.querySelector("h3 span").textContent = `Hand ${number}`;
    form.querySelector("[type=submit]").textContent = `Write hand ${number}`;
    for (const box of card.querySelectorAll("[data-now]")) box.removeAttribute("data-now");
    for (const side of [0, 1]) boxOf(number, side)?.setAttribute("data-now", "");
  }
  const back = document.getElementById("back");
  if (!back) return;
  back.hidden = number < 2;
  back.elements.number.value = number - 1;
  back.elements.seen.value = keys.get(number - 1) ?? "";
  back.querySelector("button span").textContent = number - 1;
}

// What happens ----------------------------------------------------------------------------------

const WORDS = {
  hand: ({ number }) => `hand ${number}`,
  game: ({ number }) => `the score of game ${number}`,
  take_back: ({ number }) => `hand ${number} taken back`,
  sign: () => "your signature",
  dispute: () => "your no",
  clear: () => "the cleared card",
};

card.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-line]")) return;
  event.preventDefault();
  // The key in a page that the service worker has kept may be used already.
  const fields = { ...Object.fromEntries(new FormData(form)), key: newKey() };
  delete fields.csrfmiddlewaretoken;
  if (fields.kind === "hand") form.elements.seen.value = ""; // the next one is new
  history.replaceState(null, "", location.pathname);
  keep([...kept(), { fields, what: WORDS[fields.kind](fields) }]);
  form.reset();
  refusals.replaceChildren();
  draw();
  sendKept();
});

document.getElementById("try").addEventListener("click", sendKept);
addEventListener("online", sendKept);
setInterval(() => {
  if (document.visibilityState !== "visible" || sending || kept().length) return;
  look().then(
    () => { since = null; draw(); },
    () => { since ??= new Date(); draw(); },
  );
}, LOOK);
navigator.serviceWorker?.register("/t/worker.js", { scope: "/t/" });
draw();
sendKept();
