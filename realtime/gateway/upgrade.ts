import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import { ServiceError } from "../../specs/contract/errors.ts";
import { isUuid } from "../../store/ids.ts";
import type { Log } from "../../store/log.ts";
import { parseCursor } from "../rooms/types.ts";
import { asServiceError } from "./commands.ts";
import { Connection, type Purpose } from "./connection.ts";
import type { GatewayDeps, TicketHolder } from "./types.ts";

const STATUS_TEXT: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  503: "Service Unavailable",
};

export type PathKind = "chat" | "viewers" | "user" | "all";

/** All that an upgrade needs of the request: uWS takes it away with the first pause. */
export type Asked = {
  kind: PathKind;
  streamId: string | null;
  ticket: string | null;
  after: string | null;
  origin: string;
  host: string;
  ip: string;
};

export function readRequest(
  kind: PathKind,
  res: HttpResponse,
  req: HttpRequest,
  trustedProxies: readonly string[],
): Asked {
  return {
    kind,
    streamId: kind === "chat" || kind === "viewers" ? (req.getParameter(0)?.toLowerCase() ?? "") : null,
    ticket: req.getQuery("ticket") ?? null,
    after: req.getQuery("after") ?? null,
    origin: req.getHeader("origin"),
    host: req.getHeader("host"),
    ip: clientIp(res, req.getHeader("x-forwarded-for"), trustedProxies),
  };
}

/** Refused before the upgrade, so that a client sees the reason as plain HTTP. */
export async function admitSocket(
  asked: Asked,
  { identity, rooms, allowedOrigins }: Pick<GatewayDeps, "identity" | "rooms" | "allowedOrigins">,
): Promise<Connection> {
  if (asked.streamId !== null && !isUuid(asked.streamId)) throw invalid("/path/stream_id", "must be a UUID");
  if (asked.after !== null && !parseCursor(asked.after))
    throw invalid("/query/after", "must be <epoch>:<seq>");
  if (asked.kind === "user" && asked.ticket === null) throw new ServiceError("auth_required");
  const holder = asked.ticket === null ? null : await identity.redeemTicket(asked.ticket);
  if (asked.ticket !== null && !holder) throw new ServiceError("invalid_token");
  if (holder?.viaCookie && !isOwnOrigin(asked, allowedOrigins)) throw new ServiceError("forbidden");
  // Throws not_found, so that a dedicated path of nothing is told before the upgrade.
  if (asked.streamId !== null) await rooms.identityOf(asked.streamId);
  return new Connection(holder, asked.ip, purposeOf(asked, holder));
}

/** Call it corked. */
export function refuse(res: HttpResponse, err: unknown, log: Log): void {
  const error = asServiceError(err, log);
  const waitMs = error.details?.retry_after_ms;
  res.writeStatus(`${error.status} ${STATUS_TEXT[error.status] ?? "Error"}`);
  res.writeHeader("Content-Type", "application/json; charset=utf-8");
  res.writeHeader("Cache-Control", "no-store");
  if (typeof waitMs === "number") res.writeHeader("Retry-After", String(Math.ceil(waitMs / 1_000)));
  res.end(JSON.stringify(error.envelope()));
}

function purposeOf({ kind, streamId, after }: Asked, holder: TicketHolder | null): Purpose {
  if (kind === "all") return { channel: null, after: null };
  if (kind === "user") return { channel: holder ? "user" : null, after: null };
  return { channel: `${kind}:${streamId}`, after: kind === "chat" ? after : null };
}

/** A page elsewhere could open a socket with the cookie's session: browsers always name where it comes from. */
function isOwnOrigin({ origin, host }: Asked, allowedOrigins: readonly string[]): boolean {
  if (allowedOrigins.includes(origin)) return true;
  return origin === `https://${host}` || origin === `http://${host}`;
}

/** The last hop that isn't ours. X-Forwarded-For is believed from loopback and trusted proxies alone. */
function clientIp(res: HttpResponse, forwarded: string, trustedProxies: readonly string[]): string {
  let ip = plain(Buffer.from(res.getRemoteAddressAsText()).toString());
  const hops = forwarded.split(",").map((hop) => plain(hop.trim()));
  while (isTrusted(ip, trustedProxies)) {
    const hop = hops.pop();
    if (!hop) return ip;
    ip = hop;
  }
  return ip;
}

function isTrusted(ip: string, trustedProxies: readonly string[]): boolean {
  return ip === "::1" || ip.startsWith("127.") || trustedProxies.includes(ip);
}

/** uWS writes out IPv6 in full, and IPv4 on a double stack mapped into it. */
function plain(ip: string): string {
  const mapped = /^(?:0{1,4}:){5}ffff:([0-9a-f]{4}):([0-9a-f]{4})$/i.exec(ip);
  if (mapped) {
    const bytes = Buffer.from(`${mapped[1]}${mapped[2]}`, "hex");
    return bytes.join(".");
  }
  if (/^(?:0{1,4}:){7}0{0,3}1$/.test(ip)) return "::1";
  return ip.replace(/^::ffff:/i, "");
}

function invalid(path: string, text: string): ServiceError {
  return new ServiceError("validation_failed", { errors: [{ path, rule: "format", message: text }] });
}
