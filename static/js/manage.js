// The director's page: keeps the round's clock running between refreshes.

import { refreshOnNews } from "./news.js";
import { ENDED, spreadReconnects } from "./sockets.js";
import { timeText } from "./time-text.js";

const room = document.getElementById("event");

const TICK = 500;
let received = ""; // the dial's values as last received
let receivedAt = 0; // by this browser's clock, in ms

function tick() {
  const dial = document.getElementById("dial");
  if (!dial || dial.hasAttribute("data-paused")) return;
  const { left, share } = dial.dataset;
  if (`${left} ${share}` !== received) {
    received = `${left} ${share}`;
    receivedAt = Date.now();
  }
  const now = Math.max(0, Number(left) - (Date.now() - receivedAt) / 1000);
  dial.querySelector("time").textContent = timeText(now);
  const part = Number(left) ? (Number(share) * now) / Number(left) : 0;
  dial.querySelector(".left").setAttribute("stroke-dasharray", `${part.toFixed(1)} 100`);
}

// What is unfolded stays so when the page updates itself.
let unfolded = [];
document.addEventListener("htmx:before:swap", () => {
  unfolded = [...document.querySelectorAll("#event details[open]")].map(({ id }) => id);
});
document.addEventListener("htmx:after:swap", () => {
  for (const id of unfolded) document.getElementById(id)?.setAttribute("open", "");
});

document.addEventListener("htmx:after:swap", tick);
setInterval(tick, TICK);
tick();

// Somebody who no longer directs the event gets the page's own explanation.
room.addEventListener("htmx:after:request", ({ detail }) => {
  if ([403, 404].includes(detail.ctx.response.status)) location.reload();
});

room.addEventListener("htmx:ws:close", ({ detail }) => {
  if (ENDED.includes(detail.code)) detail.connection.config.reconnect = false;
});

spreadReconnects(room);
refreshOnNews(room);
