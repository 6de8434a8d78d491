// Cards as players read them: "10♦", "★".

const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

// The sign asks not to be drawn as a picture.
export const cardText = (card) => (card === "Jo" ? "★" : `${card[0] === "T" ? "10" : card[0]}${SIGNS[card[1]]}\ufe0e`);
