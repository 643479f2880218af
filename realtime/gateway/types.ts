import type { Log } from "../../store/log.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import type { Control } from "../rooms/control.ts";
import type { Presence } from "../rooms/presence.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { UserEvents } from "../rooms/user-events.ts";

/** Who a ticket belongs to. */
export type TicketHolder = { userId: string; username: string; sessionId: string; viaCookie: boolean };

export type GatewayLimits = {
  socketsPerUser: number;
  socketsPerIp: number;
  /** Bytes that a reader may be behind before it is closed with 4008. */
  softBackpressure: number;
  /** A reader that takes nothing of a waiting replay for so long is closed with 4008. */
  stalledMs: number;
};

export const defaultLimits: GatewayLimits = {
  socketsPerUser: 10,
  socketsPerIp: 100,
  softBackpressure: 512 * 1024,
  stalledMs: 15_000,
};

/** What the gateway needs of the parts above rooms; each is a small slice of the real one. */
export type GatewayDeps = {
  /** 0 takes any free one. */
  port: number;
  host?: string;
  rooms: Rooms;
  presence: Presence;
  userEvents: UserEvents;
  control: Control;
  streams: Pick<Streams, "find">;
  identity: {
    redeemTicket(ticket: string): Promise<TicketHolder | null>;
    onRevoked(handler: (revoked: { userId: string; sessionId: string | null }) => void): () => void;
    isRevoked(sessionId: string): boolean;
  };
  /** The wire Prediction that takes bets or awaits its outcome, null when there is none. */
  predictions: { openView(streamId: string): Promise<object | null> };
  /** Being there; throws not_found. Returns the viewers present. */
  watching: {
    heartbeat(
      streamId: string,
      viewer: { userId: string } | { deviceId: string; ip: string },
    ): Promise<number>;
  };
  moderation: {
    /** Throws forbidden, not_found. */
    deleteMessage(request: { streamId: string; by: string; uuid: string }): Promise<void>;
  };
  limits?: Partial<GatewayLimits>;
  /** Exact origins that a socket with a cookie session's ticket may come from, beside the own host. */
  allowedOrigins: readonly string[];
  /** Addresses besides loopback whose X-Forwarded-For is believed. */
  trustedProxies?: readonly string[];
  log: Log;
};
