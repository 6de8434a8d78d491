// The menu of a person's plate: become friends, mute, not be seated together. Loaded when the first is opened,
// with its style sheet.

const FAILED = "That did not work. Try again.";
const about = document.getElementById("about");
let plate = null;

const { plateSheet: href } = document.getElementById("room").dataset;
const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
const styled = new Promise((done) => { sheet.onload = sheet.onerror = done; });
document.head.append(sheet);

export async function open(button) {
  plate = button;
  const answer = await fetch(`talk/person/${plate.value}`).catch(() => null);
  if (answer?.ok) about.innerHTML = await answer.text();
  else about.textContent = FAILED;
  await styled;
  about.togglePopover(true);
  const at = plate.getBoundingClientRect();
  about.style.left = `${Math.min(at.left, innerWidth - about.offsetWidth - 8)}px`;
  about.style.top = `${Math.max(8, Math.min(at.bottom + 8, innerHeight - about.offsetHeight - 8))}px`;
  (about.querySelector("button") ?? about).focus();
}

about.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { target: form, submitter: button } = event;
  const body = new FormData(form, button);
  const headers = { "HX-Request": "true" };
  const answer = await fetch(button.formAction, { method: "POST", body, headers }).catch(() => null);
  const words = answer ? await answer.text() : FAILED;
  document.getElementById("live").textContent = words;
  if (answer?.ok) open(plate);
  else about.textContent = words;
});

about.addEventListener("toggle", ({ newState }) => plate.setAttribute("aria-expanded", newState === "open"));

about.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const all = [...about.querySelectorAll("button")];
  all.at((all.indexOf(document.activeElement) + step) % all.length)?.focus();
});
