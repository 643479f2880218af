import type { HttpRequest, HttpResponse } from "uWebSockets.js";
import type { ClientAddress } from "../../../base/addresses.ts";
import { isUuid } from "../../../base/ids.ts";
import { requestIdOf } from "../../../base/request-id.ts";
import { parseCursor } from "../../../base/room-position.ts";
import { invalid, ServiceError, unavailable } from "../../../contract/errors.ts";
import type { ADDRESSES } from "../../../contract/frames.ts";
import { type Allowance, exhaustedBy, rateLimitHeaders } from "../../../contract/rate-limit-headers.ts";
import { formatInWords } from "../../../contract/refused-rule.ts";
import { Connection, type Purpose, type TicketHolder } from "./connection.ts";
import { inTime, newDeadline, requireBeforeDeadline } from "./deadline.ts";
import { addressOf, type LocalSocket } from "./local-socket.ts";
import type { RequireVisible, RoomCheck } from "./room-check.ts";
import { requireScopes, scopesOfTopic } from "./scopes.ts";
import type { SendBufferLimits } from "./send-buffer.ts";
import type { SocketSlot } from "./socket-slots.ts";

const STATUS_TEXT: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  503: "Service Unavailable",
};

export const PATH_KINDS = ["chat", "viewers", "user", "all"] as const satisfies (keyof typeof ADDRESSES)[];
export type PathKind = (typeof PATH_KINDS)[number];

/** Everything that an upgrade needs from the request: uWS invalidates the request at the first await. */
export type UpgradeRequest = {
  kind: PathKind;
  streamId: string | null;
  ticket: string | null;
  after: string | null;
  origin: string;
  host: string;
  ip: string;
  /** Identifies the request in logs and to its client. */
  requestId: string;
  /** Deadline of the stores, by performance.now(). */
  deadline: number;
  isGone: () => boolean;
};

export type RequestDeps = { clientAddress: ClientAddress; localSocket: LocalSocket };

export type Tickets = {
  /** Null for an invalid ticket. Doesn't redeem it. Throws unavailable. */
  holderOfTicket(ticket: string): Promise<TicketHolder | null>;
  /** Null when another request has redeemed it first. Throws unavailable. */
  redeemTicket(ticket: string): Promise<TicketHolder | null>;
};

export function readRequest(
  kind: PathKind,
  res: HttpResponse,
  req: HttpRequest,
  deps: RequestDeps & { isGone: () => boolean },
): UpgradeRequest {
  return {
    kind,
    streamId: kind === "chat" || kind === "viewers" ? (req.getParameter(0)?.toLowerCase() ?? "") : null,
    ticket: req.getQuery("ticket") ?? null,
    after: req.getQuery("after") ?? null,
    origin: req.getHeader("origin"),
    host: req.getHeader("host"),
    ip: addressOf(res, req, deps),
    requestId: requestIdOf(req.getHeader("x-request-id")),
    deadline: newDeadline(),
    isGone: deps.isGone,
  };
}

/**
 * Refuses before the upgrade, so that a client sees the reason as plain HTTP. The cheapest checks come first; the
 * connection holds its slot from here on. The ticket is redeemed once nothing else can refuse, and only for a client that
 * is still connected.
 */
export async function admitSocket(
  request: UpgradeRequest,
  slot: SocketSlot,
  deps: {
    tickets: Tickets;
    allowedOrigins: readonly string[];
    requireRoom: RoomCheck;
    requireVisible: RequireVisible;
    /** Throws when the room can't be followed now. */
    requireReachable(streamId: string, deadline: number): Promise<void>;
    buffer: SendBufferLimits;
  },
): Promise<Connection> {
  const { tickets, allowedOrigins, requireRoom, requireVisible, requireReachable, buffer } = deps;
  const { deadline } = request;
  if (request.streamId !== null && !isUuid(request.streamId))
    throw misformed("/path/stream_id", formatInWords("uuid"));
  if (request.after !== null && !parseCursor(request.after))
    throw misformed("/query/after", "must be <epoch>:<seq>");
  if (request.kind === "user" && request.ticket === null) throw new ServiceError("auth_required");
  const holder =
    request.ticket === null ? null : await inTime(tickets.holderOfTicket(request.ticket), deadline);
  if (request.ticket !== null && !holder) throw new ServiceError("invalid_token");
  if (holder?.viaCookie && !isOwnOrigin(request, allowedOrigins)) throw new ServiceError("forbidden");
  if (request.kind !== "all") requireScopes(holder, scopesOfTopic(request.kind, holder), request.streamId);
  // Overlays stay open all day, so they take no places of their owner's.
  if (holder) await slot.takeOfUser(holder.grant?.kind === "overlay" ? holder.sessionId : holder.userId);
  // Throws not_found, so that a dedicated path of an unknown room is refused before the upgrade.
  if (request.streamId !== null) {
    await inTime(requireRoom(request.streamId, request.ip, deadline), deadline);
    const origin = { ip: request.ip, userAgent: null, requestId: request.requestId };
    await requireVisible(request.streamId, { viewer: holder, origin }, deadline);
  }
  if (request.ticket !== null) {
    if (request.streamId !== null) await requireReachable(request.streamId, deadline);
    // A ticket isn't redeemed when nobody gets the answer.
    requireBeforeDeadline(deadline);
    if (request.isGone()) throw unavailable();
    if (!(await tickets.redeemTicket(request.ticket))) throw new ServiceError("invalid_token");
  }
  return new Connection({ holder, ip: request.ip, purpose: purposeOf(request, holder), slot, buffer });
}

/** Call it inside a cork. `allowance` is that of the address's upgrades, if they were counted. */
export function refuse(
  res: HttpResponse,
  error: ServiceError,
  requestId: string,
  allowance: Allowance | null = null,
): void {
  const waitMs = error.retryAfterMs;
  res.writeStatus(`${error.status} ${STATUS_TEXT[error.status] ?? "Error"}`);
  res.writeHeader("Content-Type", "application/json; charset=utf-8");
  res.writeHeader("Cache-Control", "no-store");
  res.writeHeader("X-Request-Id", requestId);
  if (waitMs !== null) res.writeHeader("Retry-After", String(Math.ceil(waitMs / 1_000)));
  const reportedAllowance = exhaustedBy(error) ?? allowance;
  for (const [name, value] of Object.entries(reportedAllowance ? rateLimitHeaders(reportedAllowance) : {}))
    res.writeHeader(name, value);
  // Bytes, since uWebSockets.js sends some texts in Latin-1 (frames.ts).
  res.end(Buffer.from(JSON.stringify(error.envelope())));
}

function purposeOf({ kind, streamId, after }: UpgradeRequest, holder: TicketHolder | null): Purpose {
  if (kind === "all") return { channel: null, after: null };
  if (kind === "user") return { channel: holder ? "user" : null, after };
  return { channel: `${kind}:${streamId}`, after: kind === "chat" ? after : null };
}

/** A page of another site could open a socket with the cookie's session: browsers always send its origin. */
function isOwnOrigin({ origin, host }: UpgradeRequest, allowedOrigins: readonly string[]): boolean {
  if (allowedOrigins.includes(origin)) return true;
  return origin === `https://${host}` || origin === `http://${host}`;
}

function misformed(path: string, message: string): ServiceError {
  return invalid({ path, rule: "format", message });
}
