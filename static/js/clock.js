// The server's clock, which ends turns and proposals. The page carries its reading from when it was sent.

const { now } = document.getElementById("room").dataset;
const [visit] = performance.getEntriesByType("navigation");
const arrived = performance.timeOrigin + (visit?.responseStart ?? performance.now());
const ahead = 1000 * Number(now) - arrived; // ms by which the server's clock is ahead

// Seconds since 1970.
export const serverNow = () => (Date.now() + ahead) / 1000;
