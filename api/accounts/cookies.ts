import { createHash } from "node:crypto";
import { REMEMBERED_MS } from "../../actors/accounts/sessions/devices.ts";
import type { OpenedSession, SecondFactorPending } from "../../actors/accounts/sessions/opened-session.ts";
import { REFRESH_PATH, type SetCookie } from "../http/set-cookie.ts";

/** `domain` null: for this host only. */
export type CookieConfig = { domain: string | null };

function accessCookie(value: string, maxAgeSeconds: number, { domain }: CookieConfig): SetCookie {
  return {
    name: "lc_access_token",
    value,
    maxAgeSeconds,
    httpOnly: true,
    sameSite: "Lax",
    domain,
    path: "/",
  };
}

function refreshCookie(value: string, maxAgeSeconds: number): SetCookie {
  return {
    name: "lc_refresh_token",
    value,
    maxAgeSeconds,
    httpOnly: true,
    sameSite: "Strict",
    domain: null,
    path: REFRESH_PATH,
  };
}

/** How long a device is remembered after its session. */
const DEVICE_SECONDS = REMEMBERED_MS / 1_000;

/**
 * Says which session, or which pending sign-in, is this browser's. With a domain there is none, since hosts that share the session
 * can't share this cookie.
 */
const bindingCookies = (
  name: "lc_binding" | "lc_sign_in",
  value: string,
  maxAgeSeconds: number,
  { domain }: CookieConfig,
): SetCookie[] =>
  domain === null ? [{ ...accessCookie(value, maxAgeSeconds, { domain }), name, isOwnHosts: true }] : [];

/**
 * The one cookie that scripts can read: it tells a page without a request whether somebody is signed in, and whether that is still
 * the session that the page shows. It holds no secret, and the service never reads it.
 */
const hintCookie = (value: string, maxAgeSeconds: number, config: CookieConfig): SetCookie => ({
  ...accessCookie(value, maxAgeSeconds, config),
  name: "lc_signed_in",
  httpOnly: false,
});

/** The same through all refreshes of a session, and another for each other one. */
const markerOf = (sessionId: string): string =>
  createHash("sha256").update(`signed in ${sessionId}`).digest("base64url").slice(0, 16);

/**
 * The three cookies of cookie mode (docs/interface.md#5-authentication), the binding, and the hint for pages. The access cookie
 * expires with its token, the hint with the refresh token.
 */
export function sessionCookies(signIn: OpenedSession, config: CookieConfig): SetCookie[] {
  const { sessionId, accessToken, accessExpiresIn, refreshToken, refreshExpiresIn, deviceId, binding } =
    signIn;
  return [
    accessCookie(accessToken, accessExpiresIn, config),
    refreshCookie(refreshToken, refreshExpiresIn),
    deviceCookie(deviceId, config, refreshExpiresIn),
    ...bindingCookies("lc_binding", binding, refreshExpiresIn, config),
    hintCookie(markerOf(sessionId), refreshExpiresIn, config),
  ];
}

/** For a device that isn't signed in yet: it has to finish its sign-in, and no other browser can. */
export const pendingCookies = (pending: SecondFactorPending, config: CookieConfig): SetCookie[] => [
  deviceCookie(pending.deviceId, config),
  ...bindingCookies("lc_sign_in", pending.binding, pending.expiresIn, config),
];

/** Deletes both tokens, the binding and the hint. The device cookie stays, so that its owner's next sign-in isn't throttled together with others. */
export function clearedCookies(config: CookieConfig): SetCookie[] {
  return [
    accessCookie("", 0, config),
    refreshCookie("", 0),
    ...bindingCookies("lc_binding", "", 0, config),
    hintCookie("", 0, config),
  ];
}

function deviceCookie(value: string, config: CookieConfig, sessionSeconds = 0): SetCookie {
  return { ...accessCookie(value, sessionSeconds + DEVICE_SECONDS, config), name: "lc_device_id" };
}

/**
 * For a browser that goes to a provider and back. The way back is a cross-site navigation, so the cookie is Lax. Only this host
 * can set it: with one of somebody else's, their flow could be finished here.
 */
export const oauthCookie = (value: string, maxAgeSeconds: number): SetCookie => ({
  ...accessCookie(value, maxAgeSeconds, { domain: null }),
  name: "lc_oauth",
  isOwnHosts: true,
});

/** For a browser that begins to sign in with a passkey, and finishes it from a page of this site. */
export const passkeyCookie = (value: string, maxAgeSeconds: number): SetCookie => ({
  ...oauthCookie(value, maxAgeSeconds),
  name: "lc_passkey",
  sameSite: "Strict",
});
