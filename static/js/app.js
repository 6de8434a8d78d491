// The site as an app: its service worker, and the badge on its icon while somebody is called.

const CALLING = /^(Your turn|Called) · /;
const installed = matchMedia("(display-mode: standalone)").matches || navigator.standalone;

function setBadge() {
  if (!navigator.setAppBadge) return;
  const change = CALLING.test(document.title) ? navigator.setAppBadge() : navigator.clearAppBadge();
  change.catch(() => {}); // not allowed here
}

function keepAll() {
  navigator.serviceWorker.ready.then((one) => one.active.postMessage("keep"));
}

// The score cards of tables in the room have a worker of their own.
if ("serviceWorker" in navigator && !location.pathname.startsWith("/t/")) {
  addEventListener("load", () => {
    navigator.serviceWorker.register("/worker.js").catch(() => {}); // without storage, as in some private windows
    if (installed) keepAll();
  });
  addEventListener("appinstalled", keepAll);
}
setBadge();
new MutationObserver(setBadge).observe(document.querySelector("title"), { childList: true });
