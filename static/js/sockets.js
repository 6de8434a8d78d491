// Close codes of the server. After those in ENDED a page does not reconnect; after CROWDED it does, in a
// while: with many people behind one address, others' closed pages may still be counted.
export const LOGGED_OUT = 4401;
export const NOT_HERE = 4404;
export const TOO_MANY = 4429;
export const CROWDED = 4430;
export const ENDED = [LOGGED_OUT, NOT_HERE, TOO_MANY];

// The close code of a server that restarts. All its pages get it at the same moment, so each waits
// for a random part of RESTART_SPREAD. All times are in ms.
export const RESTART = 1012;
const RESTART_SPREAD = 1500;
// How long a restart may take before pages say that the connection is lost.
export const RESTART_TAKES = 6000;

// The shortest wait after CROWDED.
const CROWDED_DELAY = 8000;

const randomPart = (milliseconds) => milliseconds * (0.1 + 0.9 * Math.random());

// The delay in ms after which to reconnect, by close code; null for a lost connection, which the
// caller's own backoff handles.
export function reconnectDelay(code) {
  if (code === RESTART) return randomPart(RESTART_SPREAD);
  return code === CROWDED ? CROWDED_DELAY + randomPart(CROWDED_DELAY) : null;
}

// Make htmx reconnect a live page's socket after that delay.
export function spreadReconnects(room) {
  let usual;
  room.addEventListener("htmx:ws:close", ({ detail }) => {
    const { config } = detail.connection ?? {};
    if (!config) return;
    usual ??= [config.reconnectDelay, config.reconnectMaxDelay];
    const delay = reconnectDelay(detail.code);
    [config.reconnectDelay, config.reconnectMaxDelay] =
      delay === null ? usual : [delay, Math.max(delay, usual[1])];
  });
}
