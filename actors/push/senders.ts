import type { Clock } from "../../store/clock.ts";
import type { PushDeviceDoc } from "../../store/mongo/push-devices.ts";
import { type ApnsSettings, createApns, isApnsToken } from "./apns.ts";
import { createFcm, type FcmSettings } from "./fcm.ts";
import type { PushSender } from "./sender.ts";
import {
  createWebPush,
  isSubscription,
  subscriptionOf,
  type WebPush,
  type WebPushSettings,
} from "./web-push.ts";

export type PushService = "web_push" | "apns" | "fcm";

/** Services that are configured; what another one would get isn't sent. */
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

/** Who is asked for that device: of web push a browser's vendor, by its domain, whatever hosts that has. */
export function askedFor(service: PushService, token: string): string {
  const endpoint = service === "web_push" ? subscriptionOf(token)?.endpoint : undefined;
  return endpoint === undefined ? service : new URL(endpoint).hostname.split(".").slice(-2).join(".");
}

/** By the token's form: a browser's subscription on any device, Apple's own tokens, and all else, Firebase's on iOS too. */
export function serviceOf(type: PushDeviceDoc["deviceType"], token: string): PushService {
  if (isSubscription(token)) return "web_push";
  return type === "ios" && isApnsToken(token) ? "apns" : "fcm";
}
