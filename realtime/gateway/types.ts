import type { DataOf } from "../../specs/contract/wire.ts";
import type { ClientAddress } from "../../store/addresses.ts";
import type { Origin } from "../../store/audit.ts";
import type { Log } from "../../store/log.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { Control } from "../rooms/control.ts";
import type { Presence } from "../rooms/presence.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { UserEvents } from "../rooms/user-events.ts";
import type { LocalSocket } from "./local-socket.ts";

/** Who a ticket belongs to. */
export type TicketHolder = { userId: string; username: string; sessionId: string; viaCookie: boolean };

/** Those of users and addresses count over all workers. */
export type GatewayLimits = {
  socketsPerUser: number;
  socketsPerIp: number;
  /** In 10 s. */
  upgradesPerIp: number;
  /** That replays may send, in a minute. */
  replayBytesPerUser: number;
  replayBytesPerIp: number;
  /** Rooms that there aren't and that may be asked for, in a minute. */
  unknownRoomsPerIp: number;
  /** Bytes that a reader may be behind before it is closed with 4008. */
  softBackpressure: number;
  /** A reader that takes nothing of a waiting replay for so long is closed with 4008. */
  stalledMs: number;
};

const REPLAY_BYTES = 32 * 1024 * 1024;

/** `factor` is RATE_LIMIT_FACTOR. */
export function limitsByAddress(factor: number) {
  const times = (limit: number) => Math.max(1, Math.floor(limit * factor));
  return {
    socketsPerIp: times(100),
    // All that may be open can come back at once, twice.
    upgradesPerIp: times(200),
    // As much as 100 sockets need that lack all that rings hold, and more than any room's log twice.
    replayBytesPerIp: times(REPLAY_BYTES),
    unknownRoomsPerIp: times(120),
  };
}

export const defaultLimits: GatewayLimits = {
  ...limitsByAddress(1),
  socketsPerUser: 10,
  replayBytesPerUser: REPLAY_BYTES,
  softBackpressure: 512 * 1024,
  stalledMs: 15_000,
};

/** What the gateway needs of the parts above rooms; each is a small slice of the real one. */
export type GatewayDeps = {
  /** 0 takes any free one. */
  port: number;
  host?: string;
  /** To listen on beside the port. */
  localSocket: LocalSocket;
  /** Where sockets, upgrades and replays are counted. */
  redis: RedisConnection;
  rooms: Rooms;
  presence: Presence;
  userEvents: UserEvents;
  control: Control;
  streams: Pick<Streams, "find">;
  identity: {
    /** Null for one that opens nothing; it stays good. Throws unavailable. */
    holderOfTicket(ticket: string): Promise<TicketHolder | null>;
    /** Null when another one was faster. Throws unavailable. */
    redeemTicket(ticket: string): Promise<TicketHolder | null>;
    onRevoked(handler: (revoked: { userId: string; sessionId: string | null }) => void): () => void;
    isRevoked(sessionId: string): boolean;
    /** Of what another worker has told: from now on `isRevoked` says so. */
    noteRevoked(revoked: { userId: string; sessionId: string; reason: "ended" | "banned" }): void;
    onRenamed(handler: (renamed: { userId: string; username: string }) => void): () => void;
    /** Without asking anybody; may be some seconds late. */
    isKnownStaff(userId: string): boolean;
    onStaffChanged(handler: (userId: string) => void): () => void;
    /** The user's name when that changed lately, else null. */
    newNameOf(userId: string): string | null;
  };
  /** The wire Prediction that takes bets or awaits its outcome, null when there is none. */
  predictions: { openView(streamId: string): Promise<DataOf<"prediction.opened"> | null> };
  /** Being there; throws not_found. Returns the viewers present. */
  watching: {
    heartbeat(
      streamId: string,
      viewer: { userId: string } | { deviceId: string; ip: string },
    ): Promise<number>;
  };
  moderation: {
    /** Throws forbidden, not_found. */
    deleteMessage(request: { streamId: string; by: string; origin: Origin; uuid: string }): Promise<void>;
  };
  /**
   * Told of every refusal, for metrics: of an upgrade by the kind of its path, of a command by its method ("none" for
   * what has no such name), and of a socket that was ended ("close") by the reason that its client is told.
   */
  onRefused?: (operation: string, code: string) => void;
  limits?: Partial<GatewayLimits>;
  /** Exact origins that a socket with a cookie session's ticket may come from, beside the own host. */
  allowedOrigins: readonly string[];
  clientAddress: ClientAddress;
  log: Log;
};
