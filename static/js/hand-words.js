// The viewer's own cards in words, from left to right, each with why it may not be played.

export function handInWords() {
  const hand = document.getElementById("hand");
  const cards = [...hand.querySelectorAll("button")].map((card) => card.getAttribute("aria-label"));
  return `${[hand.getAttribute("aria-label"), cards.join(". ")].filter(Boolean).join(": ")}.`;
}
