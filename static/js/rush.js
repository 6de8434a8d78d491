// Counts a rush down; at the end the page of its result is fetched. The server's clock decides.

const left = document.getElementById("left");
const end = performance.now() + 1000 * Number(left.dataset.left);

function show() {
  const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
  left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  if (seconds === 0) location.replace(location.pathname);
  else setTimeout(show, 250);
}
show();

// The number keys press a call or a card, unless switched off; a key that is held answers once.
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || document.documentElement.dataset.letters === "off") return;
  const choices = document.querySelectorAll('.room button[name="action"]:not([disabled], [aria-disabled="true"])');
  if (/^[1-9]$/.test(event.key)) choices[Number(event.key) - 1]?.click();
});
