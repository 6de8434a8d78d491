// The viewer's hand as a sentence, from left to right, each card with the reason if it cannot be played.

export function handInWords() {
  const hand = document.getElementById("hand");
  const cards = [...hand.querySelectorAll("button")].map((card) => card.getAttribute("aria-label"));
  return `${[hand.getAttribute("aria-label"), cards.join(". ")].filter(Boolean).join(": ")}.`;
}
