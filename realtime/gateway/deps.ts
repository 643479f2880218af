import type { ClientAddress } from "../../base/addresses.ts";
import type { Origin } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { Control } from "../rooms/control.ts";
import type { Presence } from "../rooms/presence.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { UserEvents } from "../rooms/user-events.ts";
import type { RoomState } from "./channels/initial-state.ts";
import type { StaffList } from "./channels/member-state.ts";
import type { RaidMembership } from "./channels/raid-member-writer.ts";
import type { RoomReads } from "./channels/room-visibility.ts";
import type { TicketHolder } from "./socket/connection.ts";
import type { GatewayLimits } from "./socket/limits.ts";
import type { LocalSocket } from "./socket/local-socket.ts";
import type { Tickets } from "./socket/upgrade.ts";

/** What the gateway needs from the layers above rooms, each narrowed to the part that it uses. */
export type GatewayDeps = {
  /** 0 picks any free port. */
  port: number;
  host?: string;
  /** Unix socket to listen on in addition to the port. */
  localSocket: LocalSocket;
  /** Holds the counts of sockets, upgrades and replays. */
  redis: RedisConnection;
  /** Whether realtime workers of other hosts have heard from Redis since this host has; false where that isn't known. */
  isRedisElsewhere: () => boolean;
  rooms: Rooms;
  presence: Presence;
  userEvents: UserEvents;
  control: Control;
  streams: Pick<Streams, "find">;
  tokens: Tickets & {
    onRevoked(handler: (revoked: { userId: string; sessionId: string | null }) => void): () => void;
    isRevoked(sessionId: string): boolean;
    /** Of sessions not verified within the last minute, less `aheadMs`: those that the database refuses. */
    refusedOf(holders: Iterable<TicketHolder>, aheadMs: number): Promise<TicketHolder[]>;
    /** Records a revocation that another worker published; from then on `isRevoked` returns true for it. */
    noteRevoked(revoked: { userId: string; sessionId: string; reason: "ended" | "banned" }): void;
  };
  directory: {
    onRenamed(handler: (renamed: { userId: string; username: string }) => void): () => void;
    /** The user's new name if it changed recently, else null. */
    newNameOf(userId: string): string | null;
  };
  staff: StaffList & { onStaffChanged(handler: (userId: string) => void): () => void };
  staffLog: RoomReads;
  roomStates: readonly RoomState[];
  raids: RaidMembership;
  /** Presence heartbeats. Throws not_found; returns the number of viewers present. */
  watching: {
    heartbeat(
      streamId: string,
      viewer: { userId: string } | { deviceId: string; ip: string },
    ): Promise<number>;
  };
  moderation: {
    /** Throws forbidden, not_found. */
    deleteMessage(request: { streamId: string; by: string; origin: Origin; uuid: string }): Promise<void>;
    /**
     * Throws what the underlying moderation action throws, and validation_failed if the text isn't a command. `path`: where the
     * frame has it.
     */
    command(
      moderating: { streamId: string; by: string; origin: Origin },
      text: { text: string; path: string },
      grant: TicketHolder["grant"],
    ): Promise<void>;
    /** The same for a message that begins with a slash, once for each nonce; false if nothing was run. */
    ranAsCommand(
      moderating: { streamId: string; by: string; origin: Origin },
      text: { text: string; path: string },
      grant: TicketHolder["grant"],
    ): Promise<boolean>;
  };
  /**
   * Called on every refusal, for metrics. `operation` is the kind of the path for an upgrade, the method for a command
   * ("none" if there is no such method), and "close" for a socket that the server ended, with the reason that its client
   * gets as `code`.
   */
  onRefused?: (operation: string, code: string) => void;
  limits?: Partial<GatewayLimits>;
  /** Open sockets and upgrades under way, at most; without it as many as come. */
  maxSockets?: number;
  /** Exact origins from which a socket may be opened with a ticket of a cookie session, besides the gateway's own host. */
  allowedOrigins: readonly string[];
  clientAddress: ClientAddress;
  /** Decides when personal API tokens expire. */
  clock: Clock;
  log: Log;
};
