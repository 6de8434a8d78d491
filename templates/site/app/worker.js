{# The service worker of the whole site: push, and pages that can be read without a connection. #}
{# Takes as JSON `name`, `files`, `shell`, `groups`, `offline`, `logout`, `icon`, `badge`. #}
{% autoescape off %}
const KEPT = {{ name }};
const FILES = {{ files }};
const SHELL = {{ shell }}; // pages kept from the beginning
const GROUPS = {{ groups }}; // by the path they begin with: pages kept once one of them is read
const OFFLINE = {{ offline }};
const LOGOUT = {{ logout }};
const ICON = {{ icon }};
const BADGE = {{ badge }};
{% endautoescape %}
// Other workers of this site have caches, too: only those with this prefix are ours.
const PREFIX = "app ";
const GROUP_PAGES = Object.values(GROUPS).flat();

self.addEventListener("install", (event) => {
  event.waitUntil(keep([...FILES, ...SHELL]).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (name) => name.startsWith(PREFIX) && name !== KEPT;
  event.waitUntil(forget(old).then(() => self.registration.navigationPreload?.enable()).then(() => self.clients.claim()));
});

async function forget(which) {
  const names = await caches.keys();
  await Promise.all(names.filter(which).map((name) => caches.delete(name)));
}

// Pages are asked for without cookies, so that nothing personal is ever kept.
async function keep(paths) {
  const kept = await caches.open(KEPT);
  await Promise.all(paths.map(async (path) => {
    const response = await fetch(path, { credentials: "omit", cache: "no-cache", redirect: "error" });
    if (response.ok) await kept.put(path, response);
  }));
}

// Whatever has deleted the cache, it is made again.
async function keepMissing(paths) {
  const kept = await caches.open(KEPT);
  const known = new Set((await kept.keys()).map((request) => new URL(request.url).pathname));
  for (const path of paths.filter((one) => !known.has(one))) await keep([path]);
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin) return;
  if (request.method === "POST" && pathname === LOGOUT) event.respondWith(logOut(request));
  if (request.method !== "GET") return;
  // Score cards have a worker of their own.
  if (request.mode === "navigate" && !pathname.startsWith("/t/")) event.respondWith(open(event, pathname));
  else if (FILES.includes(pathname)) event.respondWith(fetch(request).catch(() => known(pathname)));
});

async function known(pathname) {
  const kept = await caches.open(KEPT);
  return await kept.match(pathname) ?? Response.error();
}

async function open(event, pathname) {
  try {
    const response = await event.preloadResponse || await fetch(event.request);
    event.waitUntil(afterwards(pathname).catch(() => {}));
    return response;
  } catch {
    const kept = await caches.open(KEPT);
    // A lesson leads to one of its steps.
    return await kept.match(pathname) ?? await kept.match(`${pathname}1/`) ?? await kept.match(OFFLINE) ?? Response.error();
  }
}

async function afterwards(pathname) {
  await keepMissing([...FILES, ...SHELL]);
  const group = Object.keys(GROUPS).find((path) => pathname.startsWith(path));
  if (group) await keepMissing(GROUPS[group]);
}

// The kept pages are the same for everybody, but whoever logs out leaves nothing behind.
async function logOut(request) {
  const response = await fetch(request);
  const subscription = await self.registration.pushManager?.getSubscription();
  const shown = await self.registration.getNotifications?.() ?? [];
  shown.forEach((one) => one.close());
  await Promise.allSettled([
    forget((name) => name.startsWith(PREFIX)), subscription?.unsubscribe(), self.navigator.clearAppBadge?.(),
  ]);
  return response;
}

self.addEventListener("message", (event) => {
  if (event.data === "keep") event.waitUntil(keepMissing([...FILES, ...SHELL, ...GROUP_PAGES]));
});

self.addEventListener("push", (event) => {
  event.waitUntil(show(event.data.json()));
});

async function show({ title, text, path, tag }) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const seen = windows.some((one) => one.visibilityState === "visible" && new URL(one.url).pathname === path);
  if (seen) return; // the page says it itself
  await self.registration.showNotification(title, { body: text, tag, renotify: true, icon: ICON, badge: BADGE, data: { path } });
  await self.navigator.setAppBadge?.();
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.path));
});

async function openPage(path) {
  const url = new URL(path, self.location.origin);
  if (url.origin !== self.location.origin) return;
  await self.navigator.clearAppBadge?.();
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((one) => new URL(one.url).pathname === url.pathname);
  await (there ? there.focus() : self.clients.openWindow(url.href));
}
