// The page of notifications: says that a change is kept, or turns it back.

const kept = document.getElementById("kept");
const SHOWN_FOR = 2000; // ms
let hiding = 0;
let changed = null; // the latest box that was ticked

function say(words, failed) {
  clearTimeout(hiding);
  kept.textContent = words;
  kept.toggleAttribute("data-failed", failed);
  if (!failed) hiding = setTimeout(() => { kept.textContent = ""; }, SHOWN_FOR);
}

function failed(form, words) {
  if (changed?.type === "checkbox" && form.contains(changed)) changed.checked = !changed.checked;
  changed = null;
  say(words || "Not saved. Try again", true);
}

document.addEventListener("change", ({ target }) => { changed = target; }, true);

document.addEventListener("htmx:after:request", ({ target, detail }) => {
  const form = target.closest("form[data-keeps]");
  if (!form) return;
  const { status } = detail.ctx.response;
  if (status === 422) failed(form, detail.ctx.text);
  else if (status >= 400) failed(form, "");
  else say("Saved", false);
});

document.addEventListener("htmx:error", ({ target }) => {
  const form = target.closest?.("form[data-keeps]");
  if (form) failed(form, "");
});

// Push on this device: asked for by the first tick in its column, or by the button, never at load.
const devices = document.getElementById("this-device");
const here = document.getElementById("here");
const note = here?.querySelector("small");
const turnOn = here?.querySelector("button");
const BLOCKED = "Blocked by the browser. Allow notifications for this site in its settings, then come back.";
const ADD_FIRST = "Not possible here. Add this site to your home screen first, and open it from there.";
const NOT_HERE = "Not possible in this browser.";

const supported = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
const apple = /iPhone|iPad/.test(navigator.userAgent) || (navigator.platform === "MacIntel" && navigator.maxTouchPoints > 1);

function showHere(words, { bad = false, offer = false } = {}) {
  here.hidden = false;
  here.classList.toggle("bad", bad);
  note.textContent = words;
  turnOn.hidden = !offer;
}

function showState() {
  if (!supported) showHere(apple ? ADD_FIRST : NOT_HERE, { bad: true });
  else if (Notification.permission === "denied") showHere(BLOCKED, { bad: true });
  else if (devices.querySelector("[data-own]")) here.hidden = true;
  else showHere("Off", { offer: true });
}

const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

async function subscribe() {
  if (await Notification.requestPermission() !== "granted") {
    showState();
    return;
  }
  const registration = await navigator.serviceWorker.ready;
  // A subscription with a former key of the site would be refused for ever.
  await (await registration.pushManager.getSubscription())?.unsubscribe();
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(devices.dataset.key) });
  const body = new FormData();
  body.append("csrfmiddlewaretoken", document.querySelector("[name=csrfmiddlewaretoken]").value);
  body.append("endpoint", made.endpoint);
  body.append("p256dh", text(made.getKey("p256dh")));
  body.append("auth", text(made.getKey("auth")));
  const answer = await fetch(devices.dataset.add, { method: "POST", body });
  if (answer.ok) location.reload();
  else {
    await made.unsubscribe();
    showHere(answer.status === 422 ? await answer.text() : "Not turned on. Try again.", { bad: true, offer: true });
  }
}

function turnItOn() {
  showHere("One moment …");
  subscribe().catch(() => showHere("The browser could not reach its push service. Try again.", { bad: true, offer: true }));
}

if (devices) {
  showState();
  turnOn.addEventListener("click", turnItOn);
  document.addEventListener("change", ({ target }) => {
    if (target.name?.endsWith("-push") && target.checked && supported && !turnOn.hidden && Notification.permission === "default") turnItOn();
  });
  devices.querySelector("[data-unsubscribe]")?.addEventListener("submit", () => {
    navigator.serviceWorker?.ready.then((one) => one.pushManager.getSubscription()).then((one) => one?.unsubscribe());
  });
}
