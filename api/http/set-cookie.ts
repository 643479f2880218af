import { stringifySetCookie } from "cookie";
import { ownHostName } from "./sent-cookies.ts";

/** The refresh cookie is for these paths alone, on this host. */
export const REFRESH_PATH = "/v1/auth";

export type SetCookie = {
  name: string;
  value: string;
  /** 0 deletes the cookie. */
  maxAgeSeconds: number;
  httpOnly: boolean;
  sameSite: "Lax" | "Strict";
  /** Null: for this host only. */
  domain: string | null;
  path: string;
  /** Named so that no other host can set it (`ownHostName`): needs the path / and no domain. */
  isOwnHosts?: true;
};

export function cookieLine(cookie: SetCookie, isSecure: boolean): string {
  const { name, value, maxAgeSeconds, sameSite, domain, isOwnHosts, ...flags } = cookie;
  return stringifySetCookie(isOwnHosts ? ownHostName(name, isSecure) : name, value, {
    path: flags.path,
    httpOnly: flags.httpOnly,
    secure: isSecure,
    maxAge: maxAgeSeconds,
    sameSite: sameSite === "Lax" ? "lax" : "strict",
    ...(domain === null ? {} : { domain }),
  });
}
