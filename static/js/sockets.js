// Close codes after which the same socket is not asked for again; what people are told of them, each
// page has in its own words. After CROWDED it is, in a while: where many sit behind one address, the
// others' pages may only not be gone yet.
export const LOGGED_OUT = 4401;
export const NOT_HERE = 4404;
export const TOO_MANY = 4429;
export const CROWDED = 4430;
export const ENDED = [LOGGED_OUT, NOT_HERE, TOO_MANY];

// The close code of a server that ends because another one takes its place. All its pages are told at
// the same moment; each comes back at one of its own within so many milliseconds.
export const RESTART = 1012;
const SPREAD = 1500;
// For so long nobody is told that the line is lost: it is being mended.
export const RESTART_TAKES = 6000;

// For so long a page waits that found no room.
const ROOM_AFTER = 8000;

const spread = (milliseconds) => milliseconds * (0.1 + 0.9 * Math.random());

// The milliseconds after which a page comes back by itself, by the code its socket was closed with;
// null where it is only the line that was lost.
export function momentToReturn(code) {
  if (code === RESTART) return spread(SPREAD);
  return code === CROWDED ? ROOM_AFTER + spread(ROOM_AFTER) : null;
}

// Let the socket that htmx keeps for a live page come back so.
export function spreadReturn(room) {
  let usual;
  room.addEventListener("htmx:ws:close", ({ detail }) => {
    const { config } = detail.connection ?? {};
    if (!config) return;
    usual ??= [config.reconnectDelay, config.reconnectMaxDelay];
    const moment = momentToReturn(detail.code);
    [config.reconnectDelay, config.reconnectMaxDelay] =
      moment === null ? usual : [moment, Math.max(moment, usual[1])];
  });
}
