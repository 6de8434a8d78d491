// The replay without loading the page again: its links fetch the page they lead to and put the
// part that changes in place. Arrow keys, Page Up and Page Down, and a swipe follow the same links.

const place = () => document.getElementById("replay");
const SWIPE = 48; // px

let latest = 0;

async function show(address, remember) {
  const mine = ++latest;
  const focused = document.activeElement?.dataset.step;
  const response = await fetch(address, { headers: { Accept: "text/html" } });
  if (mine !== latest) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.getElementById("replay");
  if (!fresh) {
    location.assign(address);
    return;
  }
  place().replaceWith(fresh);
  if (remember) history.pushState({}, "", address);
  if (focused) document.querySelector(`[data-step="${focused}"]`)?.focus();
  document.getElementById("replay-live").textContent = fresh.dataset.said;
  const log = document.getElementById("replay-log");
  log.scrollTop = log.scrollHeight;
}

function follow(step) {
  document.querySelector(`a[data-step="${step}"]`)?.click();
}

function toDeal(which) {
  const { seat, [which]: at } = document.querySelector("[data-seat][data-deal-on]").dataset;
  if (at) show(`?at=${at}&seat=${seat}`, true);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("#replay a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  show(link.href, true);
});

const keys = {
  ArrowLeft: (event) => follow(event.shiftKey ? "trick_back" : "card_back"),
  ArrowRight: (event) => follow(event.shiftKey ? "trick_on" : "card_on"),
  PageUp: () => toDeal("dealBack"),
  PageDown: () => toDeal("dealOn"),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const action = keys[event.key];
  if (!action) return;
  event.preventDefault();
  action(event);
});

let from = null;

document.addEventListener("touchstart", (event) => {
  from = event.target.closest(".cloth") && event.touches.length === 1 ? event.touches[0] : null;
}, { passive: true });

document.addEventListener("touchend", (event) => {
  if (!from) return;
  const to = event.changedTouches[0];
  const [across, down] = [to.clientX - from.clientX, to.clientY - from.clientY];
  if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) follow(across < 0 ? "card_on" : "card_back");
});

window.addEventListener("popstate", () => show(location.href, false));
