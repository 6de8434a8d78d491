// "Hint": asks the server what the house would do, and shows it until the table moves on. Loaded when the first
// hint is asked for, with its style sheet.

const THINKING_AFTER = 300;
const ANSWER_WITHIN = 3500;
const NOTHING = { "hint.head": null, "hint.reason": null, "hint.reasons": null };
const NONE = "No hint this time.";

const room = document.getElementById("room");
const stamp = () => document.getElementById("stamp").getAttribute("value");
let shownAt = ""; // the version of the table that the hint on the page was asked at
let asking = false;
let put; // shows values on the page; handed in, since an import would be a second copy beside the bundle's

const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href: room.dataset.hintSheet });
const styled = new Promise((done) => { sheet.onload = sheet.onerror = done; });
document.head.append(sheet);

function show(answer) {
  const [first] = answer.reasons ?? [];
  put({ "hint.head": answer.head, "hint.reason": first?.words ?? null, "hint.reasons": answer.reasons ?? null });
  document.getElementById("live").textContent = `Hint: ${document.querySelector("#hint p").textContent}`;
}

// Rings what the house would press. For a call alone, "Alone" is ringed too.
function ring(action) {
  for (const one of document.querySelectorAll("[data-advised]")) delete one.dataset.advised;
  if (!action) return;
  const plain = action.replace(/ alone$/, "");
  const buttons = [...document.querySelectorAll("#question button, #hand button")];
  const button = buttons.find((one) => one.value === action) ?? buttons.find((one) => one.value === plain);
  if (button) button.dataset.advised = "yes";
  const alone = document.querySelector(".aloneness");
  if (alone && action !== plain) alone.dataset.advised = "yes";
}

export async function ask(form, button, putValues) {
  put = putValues;
  const version = stamp();
  if (asking) return;
  asking = true;
  shownAt = version;
  const thinking = setTimeout(() => {
    if (stamp() === version) show({ head: "Thinking…" });
  }, THINKING_AFTER);
  const body = new FormData(form, button);
  body.set("version", version);
  let answer = { head: NONE };
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN);
    const address = button.getAttribute("formaction");
    const response = await fetch(address, { method: "POST", body, headers: { "HX-Request": "true" }, signal });
    if (response.status === 204) answer = null; // the table has moved on, and its frame is on the way
    else answer = response.ok ? await response.json() : { head: await response.text() };
  } catch {
    // the sentence stands
  }
  await styled;
  clearTimeout(thinking);
  asking = false;
  if (stamp() !== version) return;
  if (!answer) {
    put(NOTHING);
    return;
  }
  show(answer);
  ring(answer.action);
}

// A frame that changes nothing at the table, such as one that says who watches, leaves the hint.
room.addEventListener("shown", () => {
  if (!shownAt || stamp() === shownAt) return;
  shownAt = "";
  put(NOTHING);
  ring("");
});
