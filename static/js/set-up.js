// A hand set up by hand: after every change the server draws the form again, in its place.

let latest = 0;
let retry; // the card whose press was not answered

const form = () => document.getElementById("set-up");

async function redraw(pressed) {
  const asked = ++latest;
  const fields = new URLSearchParams(new FormData(form()));
  if (pressed) fields.set("card", pressed.value);
  const answer = await fetch(`${form().action}?${fields}`, { headers: { "HX-Request": "true" } }).catch(() => null);
  if (asked !== latest) return;
  document.getElementById("unchecked").hidden = Boolean(answer?.ok);
  if (!answer?.ok) {
    retry = pressed;
    return;
  }
  const focused = pressed ? pressed.id : document.activeElement?.id;
  form().outerHTML = await answer.text();
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  history.replaceState(null, "", `?${new URLSearchParams(new FormData(form()))}`);
}

document.addEventListener("change", (event) => {
  if (event.target.closest("#set-up")) redraw();
});

document.addEventListener("click", (event) => {
  if (event.target.closest("#unchecked button")) redraw(retry);
  const card = event.target.closest("#set-up button[name=card]");
  if (!card) return;
  event.preventDefault();
  redraw(card);
});

// Enter in a typed line checks it, as a change does, and opens nothing.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches("#set-up .typed, #set-up .scores input")) return;
  event.preventDefault();
  redraw();
});

document.addEventListener("dragstart", (event) => {
  const card = event.target.closest?.("#set-up button[name=card]");
  if (card) event.dataTransfer.setData("text/plain", card.value);
});

document.addEventListener("dragover", (event) => {
  if (event.target.closest?.("#set-up [data-to]")) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  const place = event.target.closest?.("#set-up [data-to]");
  const card = document.getElementById(`card-${event.dataTransfer.getData("text/plain")}`);
  if (!place || !card) return;
  event.preventDefault();
  document.getElementById(`to-${place.dataset.to}`).checked = true;
  redraw(card);
});
