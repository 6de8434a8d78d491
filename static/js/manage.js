// The director's page: its clock goes on between the times at which it asks for itself anew.

import { askAtNews } from "./news.js";
import { ENDED, spreadReturn } from "./sockets.js";

const room = document.getElementById("event");

const TICK = 500;
let drawn = ""; // the dial as it came
let since = 0; // when it came, by this machine's own clock

function words(seconds) {
  const whole = Math.ceil(seconds);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

function tick() {
  const dial = document.getElementById("dial");
  if (!dial || dial.hasAttribute("data-paused")) return;
  const { left, share } = dial.dataset;
  if (`${left} ${share}` !== drawn) {
    drawn = `${left} ${share}`;
    since = Date.now();
  }
  const now = Math.max(0, Number(left) - (Date.now() - since) / 1000);
  dial.querySelector("time").textContent = words(now);
  const part = Number(left) ? (Number(share) * now) / Number(left) : 0;
  dial.querySelector(".left").setAttribute("stroke-dasharray", `${part.toFixed(1)} 100`);
}

document.addEventListener("htmx:after:swap", tick);
setInterval(tick, TICK);
tick();

// Whoever directs the event no longer is told so by the page itself.
room.addEventListener("htmx:after:request", ({ detail }) => {
  if ([403, 404].includes(detail.ctx.response.status)) location.reload();
});

room.addEventListener("htmx:ws:close", ({ detail }) => {
  if (ENDED.includes(detail.code)) detail.connection.config.reconnect = false;
});

spreadReturn(room);
askAtNews(room);
