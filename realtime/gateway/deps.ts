import type { ClientAddress } from "../../store/addresses.ts";
import type { Origin } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import type { Log } from "../../store/log.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { Control } from "../rooms/control.ts";
import type { Presence } from "../rooms/presence.ts";
import type { Rooms } from "../rooms/rooms.ts";
import type { UserEvents } from "../rooms/user-events.ts";
import type { OpenPolls, OpenPredictions } from "./channels/initial-state.ts";
import type { StaffList } from "./channels/member-state.ts";
import type { RaidMembership } from "./channels/raid-member-writer.ts";
import type { TicketHolder } from "./socket/connection.ts";
import type { GatewayLimits } from "./socket/limits.ts";
import type { LocalSocket } from "./socket/local-socket.ts";
import type { Tickets } from "./socket/upgrade.ts";

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
  identity: Tickets &
    StaffList & {
      onRevoked(handler: (revoked: { userId: string; sessionId: string | null }) => void): () => void;
      isRevoked(sessionId: string): boolean;
      /** A revocation that another worker has published: from now on `isRevoked` says so. */
      noteRevoked(revoked: { userId: string; sessionId: string; reason: "ended" | "banned" }): void;
      onRenamed(handler: (renamed: { userId: string; username: string }) => void): () => void;
      onStaffChanged(handler: (userId: string) => void): () => void;
      /** The user's name when that changed lately, else null. */
      newNameOf(userId: string): string | null;
    };
  predictions: OpenPredictions;
  polls: OpenPolls;
  raids: RaidMembership;
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
    /** Throws what the act throws that the command stands for, and validation_failed for what is none. */
    command(
      moderating: { streamId: string; by: string; origin: Origin },
      text: string,
      grant: TicketHolder["grant"],
    ): Promise<void>;
  };
  /**
   * Called with every refusal, for metrics: of an upgrade by the kind of its path, of a command by its method ("none" for
   * what has no such name), and of a socket that was ended ("close") by the reason that its client gets.
   */
  onRefused?: (operation: string, code: string) => void;
  limits?: Partial<GatewayLimits>;
  /** Exact origins that a socket with a cookie session's ticket may come from, beside the own host. */
  allowedOrigins: readonly string[];
  clientAddress: ClientAddress;
  /** By which personal API tokens expire. */
  clock: Clock;
  log: Log;
};
