// The server's clock, by which turns and proposals end: the page says what it read when it was sent.

const { now } = document.getElementById("room").dataset;
const [visit] = performance.getEntriesByType("navigation");
const arrived = performance.timeOrigin + (visit?.responseStart ?? performance.now());
const ahead = 1000 * Number(now) - arrived;

// Seconds since 1970 by that clock.
export const serverNow = () => (Date.now() + ahead) / 1000;
