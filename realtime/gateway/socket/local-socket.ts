import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import { createHash, timingSafeEqual } from "node:crypto";
import { type ClientAddress, canonicalAddress, UNKNOWN_ADDRESS } from "../../../base/addresses.ts";

/**
 * Carries the token that identifies an api worker of this machine on the Unix socket. Neither a peer without an address nor
 * the socket's name proves anything: a TCP client that has disconnected has no address any more, and the system lists the
 * names of all Unix sockets for everybody.
 */
export const TOKEN_HEADER = "x-livecore-token";

/** The gateway's own Unix socket, for the api workers of this machine. */
export type LocalSocket = { path: string; token: string };

/** The client's address: from an api worker, or as far as proxies are trusted. */
export function addressOf(
  res: HttpResponse,
  req: HttpRequest,
  deps: { localSocket: LocalSocket; clientAddress: ClientAddress },
): string {
  const forwarded = forwardedFor(req);
  if (isFromApiWorker(res, req, deps.localSocket)) return canonicalAddress(forwarded) ?? UNKNOWN_ADDRESS;
  return deps.clientAddress(Buffer.from(res.getRemoteAddressAsText()).toString(), forwarded);
}

/** Whether the request comes from an api worker of the same primary. */
export function isFromApiWorker(res: HttpResponse, req: HttpRequest, { token }: LocalSocket): boolean {
  const peer = Buffer.from(res.getRemoteAddressAsText()).toString();
  return peer === "" && isSame(req.getHeader(TOKEN_HEADER), token);
}

/**
 * All lines of the header joined, as Node has them: a proxy may add one below the client's own, and `getHeader` returns
 * only the first.
 */
function forwardedFor(req: HttpRequest): string {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === "x-forwarded-for") lines.push(value);
  });
  return lines.join(", ");
}

/** Compares in constant time. */
const isSame = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
