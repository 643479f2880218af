// Run in pages, by the browser: each function alone, without its surrounding module.

/** The contrast of a name in each hue with its background. */
export function contrastOfHues() {
  const author = document.querySelector(".author");
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  const luminanceOf = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((byte) => {
      const part = byte / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = luminanceOf(getComputedStyle(document.body).backgroundColor);
  return Array.from({ length: 24 }, (_, step) => {
    author.style.setProperty("--hue", String(step * 15));
    const text = luminanceOf(getComputedStyle(author).color);
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05);
  });
}

/** The text of the first line that begins below the first 100 px of the window. */
export const textInSight = () =>
  [...document.querySelectorAll(".line .text")].find((one) => one.getBoundingClientRect().top > 100)
    ?.textContent;

/** Of the line that is at the top of the log, or begins above it. */
export const firstTextInSight = () => {
  const { top } = document.querySelector("[role=log]").getBoundingClientRect();
  return [...document.querySelectorAll(".line .text")].find((one) => one.getBoundingClientRect().bottom > top)
    ?.textContent;
};

/** Starts recording the time of each frame, from its first callback until it is painted, and long tasks. */
export function watchWork() {
  const work = { frames: [], tasks: [], lines: 0 };
  globalThis.work = work;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) work.tasks.push(Math.round(duration));
  }).observe({ type: "longtask" });
  const painted = new MessageChannel();
  let beganAt = 0;
  painted.port1.onmessage = () => work.frames.push(performance.now() - beganAt);
  const frame = () => {
    beganAt = performance.now();
    work.lines = Math.max(work.lines, document.querySelectorAll(".line").length);
    // Delivered after the frame's callbacks, style, layout and paint.
    painted.port2.postMessage(null);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

export const workSoFar = () => globalThis.work;

/** The video's position, and the brightness of its pixels, 0..255: black is 0. */
export function pictureOf() {
  const video = document.querySelector("video");
  const context = new OffscreenCanvas(16, 16).getContext("2d");
  context.drawImage(video, 0, 0, 16, 16);
  const bytes = context.getImageData(0, 0, 16, 16).data;
  return {
    at: video.currentTime,
    brightness: bytes.reduce((sum, byte, i) => (i % 4 === 3 ? sum : sum + byte), 0) / 768,
  };
}

/** As the embedding page would try. */
export const postToFrame = (data) => document.querySelector("iframe").contentWindow.postMessage(data, "*");
export const postToItself = (data) => globalThis.postMessage(data, location.origin);

export const scrolledBy = (element) => element.scrollLeft;

export const groundOf = (element) => getComputedStyle(element).backgroundColor;

/** The vertical position of the line with that text. */
export const placeOfLine = (text) =>
  [...document.querySelectorAll(".line .text")]
    .find((one) => one.textContent === text)
    ?.getBoundingClientRect().top;

/** Opens a page that knows its opener. */
export const openWindow = (address) => void globalThis.open(address);

export const isPaused = () => document.querySelector("video").paused;
/** The element counts as playing, although it has no video. */
export const playNothing = () =>
  void document
    .querySelector("video")
    .play()
    .catch(() => undefined);
export const fire = (type) => void document.querySelector("video").dispatchEvent(new Event(type));

/** What axe finds broken in this document, without its frames. */
export async function axeFaults() {
  const { violations } = await globalThis.axe.run(document, { iframes: false, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${target.join(" ")}`));
}

/** By how much the page is wider than the window, and what of it reaches furthest. */
export const overhang = () => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const reachOf = (element) => element.getBoundingClientRect().right;
  const [widest] = [...document.body.querySelectorAll("*")].sort((a, b) => reachOf(b) - reachOf(a));
  return [`${scrollWidth - clientWidth} px too wide, at ${widest?.outerHTML.slice(0, 120)}`];
};

/** While they go on, what they show is paler than it will be. */
export async function animationsEnd() {
  await Promise.all(document.getAnimations().map(({ finished }) => finished));
}

/** What of an overlay doesn't fit in between its sides, and so isn't seen whole. */
export const cutOff = () =>
  [...document.querySelectorAll(".overlay, .overlay :not(.aloud)")]
    .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
    .map((one) => `${one.scrollWidth - one.clientWidth} px cut off at ${one.outerHTML.slice(0, 120)}`);

export const nameOfFocused = () =>
  document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent.trim();
export const idOfFocused = () => document.activeElement.id;

/** Null for what isn't shown. */
export function topOf(id) {
  const element = document.getElementById(id);
  return element.checkVisibility() ? element.getBoundingClientRect().top : null;
}

/** Where each line of an element's text is. */
export function linesOf(selector) {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector(selector));
  const lines = new Map();
  for (const { top, left } of range.getClientRects()) {
    const line = lines.get(Math.round(top)) ?? { top, left };
    lines.set(Math.round(top), { top, left: Math.min(line.left, left) });
  }
  return [...lines.values()];
}

/** Where the first element of each selector is. */
export const boxesOf = (selectors) =>
  selectors.map((selector) => document.querySelector(selector).getBoundingClientRect().toJSON());

export const opacitiesOf = (elements) => elements.map((one) => getComputedStyle(one).opacity);

export const directionOf = (elements) => elements.map((one) => getComputedStyle(one).direction);

export const dotsBefore = (elements) => elements.map((one) => getComputedStyle(one, "::before").content);

/** Whether the video is muted, and its volume. */
/** One step louder, then silence, both before the page hears of either. */
export function louderThenSilent() {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true }));
  const volume = document.querySelector("[aria-label=Volume]");
  volume.value = "0";
  volume.dispatchEvent(new Event("input", { bubbles: true }));
}

export function soundOf() {
  const { muted, volume } = document.querySelector("video");
  return [muted, Math.round(volume * 100) / 100];
}

/** How many rows elements stand in, whatever their heights. */
export const rowsOf = (elements) =>
  new Set(
    elements
      .map((one) => one.getBoundingClientRect())
      .filter(({ height }) => height > 0)
      .map(({ top, height }) => Math.round((top + height / 2) / 8)),
  ).size;

/** Texts of the page that came from no language: in the pseudo one each has a tilde. People's own texts stand in `bdi` or under `dir`, moments in `time`. */
export function plainTexts() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const { parentElement, textContent } = walker.currentNode;
    if (
      parentElement.closest("script, style, noscript, [dir], bdi, time, [aria-hidden], .logo, .author, code")
    )
      continue;
    if (/[a-z]{2}/i.test(textContent)) {
      const whole = parentElement.textContent;
      if (!whole.includes("~")) found.push(textContent.trim());
    }
  }
  return found;
}

/** As if the video had played up to that second. */
export function playAt(second) {
  const video = document.querySelector("video");
  Object.defineProperty(video, "currentTime", { configurable: true, writable: true, value: second });
  video.dispatchEvent(new Event("timeupdate"));
}

/** Another text for the focused field, and the arrow down before the page has drawn a frame. */
export async function typeAndArrowDown(text) {
  const field = document.activeElement;
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  // Rendered, but not drawn: the effects of what was rendered come later.
  await Promise.resolve();
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
}

/** Before a page's scripts: a push service that gives this subscription, and counts how often the permission is asked for. */
export function standInForPush(token) {
  const KEY = "spec-subscription";
  const bytesOf = (key) =>
    Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const made = (key) => ({
    ...JSON.parse(token),
    options: { userVisibleOnly: true, applicationServerKey: bytesOf(key).buffer },
    toJSON: () => JSON.parse(token),
    unsubscribe: async () => {
      localStorage.removeItem(KEY);
      return true;
    },
  });
  PushManager.prototype.subscribe = async ({ applicationServerKey: key }) => {
    localStorage.setItem(KEY, key);
    return made(key);
  };
  PushManager.prototype.getSubscription = async () => {
    const key = localStorage.getItem(KEY);
    return key === null ? null : made(key);
  };
  globalThis.asked = 0;
  const ask = Notification.requestPermission.bind(Notification);
  Notification.requestPermission = () => {
    globalThis.asked++;
    return ask();
  };
}

/** What the service worker shows now. */
export async function shownNotifications() {
  const registration = await navigator.serviceWorker.getRegistration();
  const shown = (await registration?.getNotifications()) ?? [];
  return shown.map(({ title, body, tag, icon }) => ({ title, body, tag, icon }));
}

/** In the service worker: counts what it has shown, once the browser has done so. */
export function countShown() {
  if (globalThis.shownCount !== undefined) return;
  globalThis.shownCount = 0;
  const { registration } = globalThis;
  const show = registration.showNotification.bind(registration);
  registration.showNotification = async (...args) => {
    await show(...args);
    globalThis.shownCount++;
  };
}
export const shownCount = () => globalThis.shownCount;

/** Nothing of one spec is shown in the next. */
export async function clearNotifications() {
  const registration = await navigator.serviceWorker.getRegistration();
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
}

/** In the service worker: as if its notification were pressed, without a window that a press would allow to open. */
export async function openInWorker(tag) {
  globalThis.clients.openWindow = async (address) => {
    globalThis.opened = address;
  };
  const [notification] = await globalThis.registration.getNotifications({ tag });
  // Not yet shown, or pressed already.
  if (!notification) return;
  globalThis.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
}

/** In the service worker: the address that it has opened last. */
export const lastOpened = () => globalThis.opened;

/** Browsers play by themselves what makes no sound. */
export async function playSilently() {
  const video = document.querySelector("video");
  video.muted = true;
  await video.play();
}

/** Where the video is, in seconds. */
export const secondOf = () => document.querySelector("video").currentTime;

/** As the page does when it opens a checkout. */
export function rememberCheckout(one) {
  localStorage.setItem("livecore-checkouts", JSON.stringify([one]));
}

/** Before a page's own scripts: adds up by how much the page moves while nobody touches it, and what moved. */
export function countShifts() {
  globalThis.shift = { sum: 0, moved: [] };
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      globalThis.shift.sum += value;
      const names = sources.map(({ node }) => node?.className || node?.nodeName);
      globalThis.shift.moved.push(`${value.toFixed(3)} ${names.join(" ")}`);
    }
  }).observe({ type: "layout-shift", buffered: true });
}

export const shiftOf = () => globalThis.shift;

/** The names of the scripts that the page has loaded, in any way. */
export const scriptsLoaded = () =>
  performance
    .getEntriesByType("resource")
    .map(({ name }) => new URL(name).pathname)
    .filter((path) => path.endsWith(".js"));

export const copiedText = () => navigator.clipboard.readText();

/** Calls `alertShown` of the page, which outlives a reload, with the text of each alert that an overlay shows. */
export function watchAlerts() {
  const seen = new WeakSet();
  new MutationObserver(() => {
    for (const alert of document.querySelectorAll(".alert")) {
      if (seen.has(alert)) continue;
      seen.add(alert);
      void globalThis.alertShown(alert.textContent);
    }
  }).observe(document, { childList: true, subtree: true });
}

/** The colour behind everything of a page. */
export const groundsOfPage = () =>
  [document.documentElement, document.body].map((one) => getComputedStyle(one).backgroundColor);

/** Which of a log's lines are in sight. */
export function keysInSight(log) {
  const { top, bottom } = document.querySelector(log).getBoundingClientRect();
  return [...document.querySelectorAll(`${log} [data-key]`)]
    .filter((line) => {
      const box = line.getBoundingClientRect();
      return box.bottom > top + 1 && box.top < bottom;
    })
    .map((line) => line.dataset.key);
}

/** Says as a browser does that the window has lost the focus, which stays where it is in the page. */
export function loseWindowFocus() {
  document.activeElement.dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
}
