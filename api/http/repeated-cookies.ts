import type { Request } from "express";
import { readCookies } from "./sent-cookies.ts";
import { REFRESH_PATH, type SetCookie } from "./set-cookie.ts";

const expired = (name: string, path: string, domain: string | null): SetCookie => ({
  name,
  value: "",
  maxAgeSeconds: 0,
  httpOnly: true,
  sameSite: "Lax",
  domain,
  path,
});

/** More have no route: a longer path would be a longer answer. */
const MOST_SEGMENTS = 8;
/** What a cookie's `Path` may hold: below another path no cookie can have been planted. */
const COOKIE_PATH = /^[!-:=-~]+$/;

/** Every path whose cookies come with that request: `/`, `/v1`, `/v1/` and so on. */
function pathsTo(requested: string): string[] {
  const segments = requested.split("/", MOST_SEGMENTS + 1).filter((segment) => segment !== "");
  const paths = segments.map((_, n) => `/${segments.slice(0, n + 1).join("/")}`);
  return ["/", ...paths.filter((path) => COOKIE_PATH.test(path)).flatMap((path) => [path, `${path}/`])];
}

/**
 * With a cookie domain nothing tells our own cookie from one that a sibling host has planted beside it, so repeated ones are refused.
 * This expires them wherever they may have come from, and clients refresh; our refresh cookie stays, in the one place where it can't
 * have been planted beside itself.
 */
export function expiredRepeats({ path: requested, headers }: Request, domain: string): SetCookie[] {
  const sent = readCookies(headers, { isSecure: false, isBound: false });
  const paths = pathsTo(requested);
  const everywhere = (name: string) =>
    paths.flatMap((path) => [expired(name, path, null), expired(name, path, domain)]);
  return [
    ...(sent.access.length > 1 ? everywhere("lc_access_token") : []),
    ...(sent.devices.length > 1 ? everywhere("lc_device_id") : []),
    ...(sent.refresh.length > 1 ? everywhere("lc_refresh_token") : []),
  ].filter((one) => one.name !== "lc_refresh_token" || one.path !== REFRESH_PATH || one.domain !== null);
}
