import type { Schemas } from "../../site/page-data.ts";
import { site, to } from "../../site/page-data.ts";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { trustWorker } from "../../site/trusted-worker.ts";
import { TEXTS } from "../../texts/texts.ts";
import { forgetPushUser, keepPushUser } from "./push-user.ts";

export type Device = Schemas["Device"];
/** Of this browser: whether it can show pushes, may, and has a subscription. */
export type PushState = "unsupported" | "denied" | "off" | "on";

const WORKER = to("/push-worker.js");

const isSupported = (): boolean =>
  "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

async function subscriptionHere(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration(site.root);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Whether a registration is this browser's. */
export const isOf = (device: Device, subscription: { endpoint: string } | null): boolean =>
  subscription !== null && endpointOf(device.device_token) === subscription.endpoint;

/** Null for tokens of apps. */
function endpointOf(token: string): unknown {
  try {
    const { endpoint }: Record<string, unknown> = { ...JSON.parse(token) };
    return endpoint;
  } catch {
    return null;
  }
}

export async function readPush(): Promise<{ state: PushState; subscription: PushSubscription | null }> {
  if (!isSupported()) return { state: "unsupported", subscription: null };
  const subscription = await subscriptionHere();
  if (Notification.permission === "denied") return { state: "denied", subscription };
  return { state: subscription === null ? "off" : "on", subscription };
}

/** Asks for permission: only upon a press. Throws a Problem that says why there is no subscription. */
export async function turnOnPush(userId: string): Promise<Device> {
  if ((await Notification.requestPermission()) !== "granted") throw new Problem(TEXTS.push.dismissed);
  const device = await register(await keyOfService());
  keepPushUser(userId);
  return device;
}

/** Subscribes where there is no subscription with this key, and registers it as the user's. */
async function register(key: string): Promise<Device> {
  trustWorker(WORKER);
  await navigator.serviceWorker.register(WORKER, { scope: site.root, updateViaCache: "none" });
  const { pushManager } = await navigator.serviceWorker.ready;
  let subscription = await pushManager.getSubscription();
  if (subscription && keyOf(subscription) !== key) {
    await subscription.unsubscribe();
    subscription = null;
  }
  try {
    subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (err) {
    throw new Problem(TEXTS.push.failed, { cause: err });
  }
  return client.call("registerDevice", {
    // The interface has no type for browsers: it goes by the token.
    body: { device_token: JSON.stringify(subscription), device_type: "android" },
  });
}

/** Ends the subscription, and its registration if that is the user's. */
export async function turnOffPush(devices: readonly Device[]): Promise<void> {
  const subscription = await subscriptionHere();
  const own = devices.filter((device) => isOf(device, subscription));
  for (const { id } of own) await client.call("removeDevice", { path: { device_id: id } });
  await unsubscribe();
}

/** Nothing that was meant for this user is shown in this browser any more. The service forgets the registration with the session. */
export async function unsubscribe(): Promise<void> {
  forgetPushUser();
  if (!isSupported()) return;
  await (await subscriptionHere())?.unsubscribe();
  const registration = await navigator.serviceWorker.getRegistration(site.root);
  for (const shown of (await registration?.getNotifications()) ?? []) shown.close();
}

/** At each start: registers again, since another session, another subscription or a new key may have come since. */
export async function renewPush(): Promise<void> {
  const { state } = await readPush();
  if (state === "on" && Notification.permission === "granted") await register(await keyOfService());
}

async function keyOfService(): Promise<string> {
  const { public_key } = await client.call("getWebPushKey");
  if (public_key === null) throw new Problem(TEXTS.push.unavailable);
  return public_key;
}

/** As `getWebPushKey` has it: base64url. */
function keyOf({ options: { applicationServerKey: key } }: PushSubscription): string | null {
  if (key === null) return null;
  return btoa(String.fromCharCode(...new Uint8Array(key)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
