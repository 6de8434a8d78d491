// Cards as players read them: "10♦", "★".

const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

// U+FE0E asks for the text form of the suit, not an emoji.
export const cardText = (card) => (card === "Jo" ? "★" : `${card[0] === "T" ? "10" : card[0]}${SIGNS[card[1]]}\ufe0e`);
