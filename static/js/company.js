// At the end of a game: what its review found, and who played, with a button to become friends. Loaded when the
// first game ends.

const company = document.getElementById("played-with");

export async function show() {
  const link = company.hidden ? null : document.querySelector('#question a[href$="/review/"]');
  const address = link ? link.href.replace(/review\/$/, "company") : "";
  if (!address) company.replaceChildren();
  if (!address || company.dataset.of === address) return;
  company.dataset.of = address;
  const response = await fetch(address).catch(() => null);
  if (!response?.ok || company.dataset.of !== address) return;
  company.innerHTML = await response.text();
  const { review, again } = company.firstElementChild?.dataset ?? {};
  link.querySelector(".note-of").textContent = review ?? "";
  if (again) setTimeout(showAgain, 1000 * again);
}

function showAgain() {
  delete company.dataset.of;
  return show();
}

company.addEventListener("submit", async (event) => {
  event.preventDefault();
  const body = new FormData(event.target, event.submitter);
  await fetch(event.target.action, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => null);
  await showAgain();
});
