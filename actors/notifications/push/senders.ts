import type { Clock } from "../../../base/clock.ts";
import type { PushDeviceDoc } from "../../../store/mongo/notifications/push-devices.ts";
import { type ApnsSettings, createApns, isApnsToken } from "./apns.ts";
import { createFcm, type FcmSettings } from "./fcm.ts";
import type { PushSender } from "./sender.ts";
import {
  createWebPush,
  isSubscription,
  isVendor,
  subscriptionOf,
  type WebPush,
  type WebPushSettings,
} from "./web-push.ts";

type PushService = "web_push" | "apns" | "fcm";

/** The configured services; pushes for another service aren't sent. */
export type PushSenders = {
  readonly [Service in PushService]?: Service extends "web_push" ? WebPush : PushSender;
};

export type PushSettings = {
  webPush: WebPushSettings | null;
  apns: ApnsSettings | null;
  fcm: FcmSettings | null;
};

export const createPushSenders = ({ webPush, apns, fcm }: PushSettings, clock: Clock): PushSenders => ({
  ...(webPush && { web_push: createWebPush(webPush, clock) }),
  ...(apns && { apns: createApns(apns, clock) }),
  ...(fcm && { fcm: createFcm(fcm, clock) }),
});

/** The circuit of a device's service. For web push that is the vendor's registered domain, since a vendor has many hosts. */
export function breakerKey(service: PushService, token: string): string {
  const endpoint = service === "web_push" ? subscriptionOf(token)?.endpoint : undefined;
  return endpoint === undefined ? service : new URL(endpoint).hostname.split(".").slice(-2).join(".");
}

/** Whether an operator should know that it doesn't answer: any other host is named by a user, and may not even exist. */
export const isKnownService = (service: PushService, token: string): boolean =>
  service !== "web_push" || isVendor(token);

/** Decides by the token's format. Everything but subscriptions and APNs tokens goes to Firebase, which iOS apps may use, too. */
export function serviceOf(type: PushDeviceDoc["deviceType"], token: string): PushService {
  if (isSubscription(token)) return "web_push";
  return type === "ios" && isApnsToken(token) ? "apns" : "fcm";
}
