// The analysis board: arrow keys follow the links between steps, and what is worked out is spoken at the
// start and the end only.

const STEPS = {
  ArrowLeft: "card_back", ArrowRight: "card_on", "Shift+ArrowLeft": "trick_back", "Shift+ArrowRight": "trick_on",
};
const live = document.getElementById("analysis-live");

function speak() {
  const { said } = document.getElementById("worth").dataset;
  if (said && live.textContent !== said) live.textContent = said;
}

document.addEventListener("htmx:after:swap", speak);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
  const step = STEPS[`${event.shiftKey ? "Shift+" : ""}${event.key}`];
  const link = step && document.querySelector(`a[data-step="${step}"][href]`);
  if (!link) return;
  event.preventDefault();
  link.click();
});
