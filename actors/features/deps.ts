import type { Presence } from "../../realtime/rooms/presence.ts";
import type { Rooms } from "../../realtime/rooms/rooms.ts";
import type { UserEvents } from "../../realtime/rooms/user-events.ts";
import type { Audit } from "../../store/audit.ts";
import type { Clock } from "../../store/clock.ts";
import type { FileStore } from "../../store/files/file-store.ts";
import type { Log } from "../../store/log.ts";
import type { Meter } from "../../store/metrics.ts";
import type { ChannelPeople } from "../../store/mongo/channel-people.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import type { Follows } from "../../store/mongo/follows.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { Outbox } from "../host/outbox.ts";
import type { Identity } from "../identity/identity.ts";
import type { MasterKey } from "../identity/sealing.ts";
import type { Mails } from "../mail/mails.ts";
import type { Points } from "../points/points.ts";

/**
 * What any feature may take, by these names; it opens the collections that are its own by `mongo`. Other features and
 * lifecycles aren't among it, so that none of them can need another by accident: `actors/features.ts` hands those over.
 */
export type FeatureDeps = {
  mongo: Mongo;
  /** A connection that fails fast. */
  redis: RedisConnection;
  clock: Clock;
  log: Log;
  audit: Audit;
  meter: Meter;
  streams: Streams;
  people: ChannelPeople;
  follows: Follows;
  files: FileStore;
  rooms: Rooms;
  presence: Presence;
  userEvents: UserEvents;
  outbox: Outbox;
  identity: Identity;
  mails: Mails;
  points: Points;
  masterKey: MasterKey;
  /** Where clients and other machines reach the service. */
  publicUrl: string;
};
