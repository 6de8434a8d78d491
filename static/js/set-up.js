// A hand set up by hand: after every change the server draws the form again, in its place.

let latest = 0;

const form = () => document.getElementById("set-up");

async function redraw(pressed) {
  const asked = ++latest;
  const fields = new URLSearchParams(new FormData(form()));
  if (pressed) fields.set("card", pressed.value);
  const answer = await fetch(`${form().action}?${fields}`, { headers: { "HX-Request": "true" } });
  if (!answer.ok || asked !== latest) return;
  const focused = pressed ? pressed.id : document.activeElement?.id;
  form().outerHTML = await answer.text();
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  history.replaceState(null, "", `?${new URLSearchParams(new FormData(form()))}`);
}

document.addEventListener("change", (event) => {
  if (event.target.closest("#set-up")) redraw();
});

document.addEventListener("click", (event) => {
  const card = event.target.closest("#set-up button[name=card]");
  if (!card) return;
  event.preventDefault();
  redraw(card);
});

// Enter in a typed line checks it, as a change does, and opens nothing.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("#set-up input.typed")) return;
  event.preventDefault();
  redraw();
});

document.addEventListener("dragstart", (event) => {
  const card = event.target.closest?.("#set-up button[name=card]");
  if (card) event.dataTransfer.setData("text/plain", card.value);
});

document.addEventListener("dragover", (event) => {
  if (event.target.closest?.("#set-up .seat-in")) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  const place = event.target.closest?.("#set-up .seat-in");
  const card = document.getElementById(`card-${event.dataTransfer.getData("text/plain")}`);
  if (!place || !card) return;
  event.preventDefault();
  document.getElementById(`to-${place.dataset.seat}`).checked = true;
  redraw(card);
});
