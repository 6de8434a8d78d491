// The director's page: fetches what has changed, opens tables, and keeps the round's clock running.

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

// The page names the parts it has by their stamps, and is sent those that have changed. A table at which
// something is being filled in stays as it is, and is told of a change.
const openRow = () => document.querySelector("[data-open]");
const tableOf = (row) => row?.id.replace("table-", "");
let forgotten = []; // rows to be sent whatever they are: one is being opened, another closed

room.addEventListener("htmx:config:request", ({ target, detail }) => {
  if (target.id !== "now") return;
  const row = openRow();
  const { body } = detail.ctx.request;
  const have = [];
  for (const part of room.querySelectorAll("[data-stamp]")) {
    if (part.matches(".meanwhile") || forgotten.includes(part.id)) continue;
    const told = part.querySelector(":scope > .inset > .meanwhile");
    have.push(`${part.id}:${(told ?? part).dataset.stamp}`);
    if (told) have.push(`${told.id}:${told.dataset.stamp}`);
  }
  body.set("have", have.join(","));
  const opened = opening ?? tableOf(row);
  if (opened) body.set("open", opened);
  if (!forgotten.length && row?.querySelector("input:not([type=hidden]), select, textarea")) body.set("busy", tableOf(row));
  forgotten = [];
  opening = undefined;
});

// A row is opened, or closed, without loading the page.
let opening;
room.addEventListener("click", (event) => {
  const link = event.target.closest("#now .toggle, #now .wants a, .meanwhile a");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const address = new URL(link.href);
  opening = address.searchParams.get("open") ?? "";
  const key = address.hash.slice(1);
  forgotten = [openRow()?.id, key].filter(Boolean);
  htmx.trigger("#now", "news");
  if (!link.matches(".toggle")) document.getElementById(key)?.scrollIntoView({ block: "center" });
});

// An act opens under its table, one at a time; once it is done, the page asks what has changed.
room.addEventListener("click", ({ target }) => {
  const link = target.closest(".inset a[hx-get]");
  if (!link) return;
  for (const one of link.closest(".inset").querySelectorAll("a[hx-get]")) one.setAttribute("aria-expanded", String(one === link));
});
room.addEventListener("htmx:after:swap", ({ target }) => {
  const place = target.closest?.(".inset")?.querySelector(".act-open");
  if (place?.firstElementChild?.hidden) {
    document.querySelector("#console-said :is([role=status], p)")?.scrollIntoView({ block: "nearest" });
    htmx.trigger("#now", "news");
  } else place?.querySelector("input:not([type=hidden]), select, textarea, .button")?.focus();
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
