/**
 * The service worker of push notifications. It shows what the service sends (docs/notifications.md) and opens the page that it leads
 * to. It handles no requests: pages are loaded as if it weren't there.
 */

import { ownPath } from "../../site/own-path.ts";

/** What the page's own library of types doesn't have. */
type Extendable = Event & { waitUntil(work: Promise<unknown>): void };
type PushEvent = Extendable & { data: { json(): unknown } | null };
type ClickEvent = Extendable & { notification: Notification };
type OpenPage = { url: string; focus(): Promise<unknown> };
type ServiceWorkerScope = {
  registration: {
    scope: string;
    showNotification(title: string, options: NotificationOptions): Promise<void>;
  };
  clients: {
    matchAll(of: { type: "window"; includeUncontrolled: boolean }): Promise<OpenPage[]>;
    openWindow(url: string): Promise<unknown>;
  };
  addEventListener(type: "push", listener: (event: PushEvent) => void): void;
  addEventListener(type: "notificationclick", listener: (event: ClickEvent) => void): void;
};
const worker = globalThis as unknown as ServiceWorkerScope;
const { scope } = worker.registration;

/** Null for what isn't the service's. */
function messageOf(data: PushEvent["data"]): { title: string; options: NotificationOptions } | null {
  let content: unknown;
  try {
    content = data?.json();
  } catch {
    return null;
  }
  if (typeof content !== "object" || content === null) return null;
  const { title, body, tag, link }: Record<string, unknown> = { ...content };
  if (typeof title !== "string" || typeof body !== "string" || typeof tag !== "string") return null;
  // Browsers draw no vector graphics here.
  const icon = `${scope}favicon.ico`;
  return { title, options: { body, tag, icon, data: { link: typeof link === "string" ? link : null } } };
}

/** Of the site alone, below the address at which this browser knows it; without a link, the list of all. */
function addressOf({ data }: Notification): string {
  const link: unknown = data?.link;
  const path = typeof link === "string" ? ownPath(link, scope) : null;
  return path === null ? `${scope}notifications` : new URL(path, scope).href;
}

async function openPage(address: string): Promise<void> {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const open = pages.find(({ url }) => url.split(/[?#]/)[0] === address);
  if (open) await open.focus();
  else await worker.clients.openWindow(address);
}

worker.addEventListener("push", (event) => {
  const message = messageOf(event.data);
  if (message) event.waitUntil(worker.registration.showNotification(message.title, message.options));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(addressOf(event.notification)));
});
