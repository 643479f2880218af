import type { Audit } from "../../base/audit.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Meter } from "../../base/metrics.ts";
import type { Presence } from "../../realtime/rooms/presence.ts";
import type { Rooms } from "../../realtime/rooms/rooms.ts";
import type { UserEvents } from "../../realtime/rooms/user-events.ts";
import type { FileStore } from "../../store/files/file-store.ts";
import type { GrantedRoles } from "../../store/mongo/channels/channel-roles.ts";
import type { Follows } from "../../store/mongo/channels/follows.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import type { ChatBans } from "../../store/mongo/chat/chat-bans.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { Directory, Staff } from "../accounts/public.ts";
import type { Outbox } from "../host/outbox.ts";
import type { MasterKey } from "../keys/sealing.ts";
import type { Mails } from "../mail/mails.ts";

/**
 * The dependencies that any feature may take, under these names; it opens its own collections through `mongo`. Other features and
 * lifecycles aren't included, so that none of them depends on another by accident: `actors/features.ts` passes those.
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
  grantedRoles: GrantedRoles;
  chatBans: ChatBans;
  follows: Follows;
  files: FileStore;
  rooms: Rooms;
  presence: Presence;
  userEvents: UserEvents;
  outbox: Outbox;
  directory: Directory;
  staff: Staff;
  mails: Mails;
  masterKey: MasterKey;
  /** The base URL at which clients and other machines reach the service. */
  publicUrl: string;
};
