import { createAccounts } from "../../../actors/accounts/accounts.ts";
import type { OauthSettings } from "../../../actors/accounts/oauth/provider.ts";
import type { Passwords } from "../../../actors/accounts/passwords/passwords.ts";
import type { OriginOf } from "../../../actors/accounts/profile/origins.ts";
import type { SignUpMode } from "../../../actors/accounts/sign-in/sign-up.ts";
import { createActors } from "../../../actors/actors.ts";
import { createViewerTexts } from "../../../actors/channels/viewer-texts.ts";
import { createFeatures } from "../../../actors/features.ts";
import type { OnAlert } from "../../../actors/hooks/metrics.ts";
import { createSealing, deriveKey, type MasterKey } from "../../../actors/keys/sealing.ts";
import { createNoMediaControl, type MediaControl } from "../../../actors/live/ingest/media-control.ts";
import type { Edge } from "../../../actors/live/playback/edge-links.ts";
import {
  createMediaService,
  type MediaServiceSettings,
} from "../../../actors/live/playback/media-service.ts";
import { createMails, type MailSettings } from "../../../actors/mail/mails.ts";
import type { PaymentSettings } from "../../../actors/monetization/payments/billing.ts";
import type { PushSenders } from "../../../actors/notifications/push/senders.ts";
import type { Audit } from "../../../base/audit.ts";
import { type Clock, processClock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Meter } from "../../../base/metrics.ts";
import type { ErrorCode } from "../../../contract/errors.ts";
import { createControl } from "../../../realtime/rooms/control.ts";
import { ADMISSION_METRICS } from "../../../realtime/rooms/metrics.ts";
import { createPresence } from "../../../realtime/rooms/presence.ts";
import { createRooms } from "../../../realtime/rooms/rooms.ts";
import { createUserEvents } from "../../../realtime/rooms/user-events.ts";
import type { FileStore } from "../../../store/files/file-store.ts";
import { channelRolesIn } from "../../../store/mongo/channels/channel-roles.ts";
import { followsIn } from "../../../store/mongo/channels/follows.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { actTextsIn } from "../../../store/mongo/chat/act-texts.ts";
import { chatBansIn } from "../../../store/mongo/chat/chat-bans.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { RedisConnection } from "../../../store/redis/nodes.ts";

/** There are prices even then, since they are also read where nobody pays. */
const NO_PAYMENTS: PaymentSettings = {
  platform: null,
  prices: { currency: "USD", tierCents: { 1: 499, 2: 999, 3: 2_499 } },
  returnBases: () => [],
};

/** Mails are stored, and wait for a process that sends them. */
const noMails = (linksUrl: string): MailSettings => ({ transport: null, linksUrl });

export type Core = ReturnType<typeof createCore>;

/**
 * What every kind of worker is built on: the domain over the two stores. Processes and specs compose it the same way; specs
 * pass a clock that they move themselves. Call `start` before use, and `stop` before the stores are closed.
 */
export function createCore({
  masterKey,
  ingestUrl,
  paymentSettings = NO_PAYMENTS,
  publicUrl,
  instanceName = "livecore",
  allowedOrigins = [],
  mailSettings = noMails(publicUrl),
  oauthSettings = { providers: [], returnUrls: [publicUrl] },
  waitsForMedia = false,
  edge,
  files,
  mediaControl,
  mediaServiceSettings = null,
  pushSenders = {},
  originOf = () => null,
  onSendRefused = () => undefined,
  onAlert = () => undefined,
  ...given
}: {
  mongo: Mongo;
  /** Its commands fail fast when Redis is away or hangs. */
  redis: RedisConnection;
  log: Log;
  audit: Audit;
  masterKey: MasterKey;
  /** Default: anybody may sign up. */
  signUpMode?: SignUpMode;
  /** Default: Argon2id at its full cost; only specs pass another one. */
  passwords?: Passwords;
  /** Where encoders publish to; shown to owners as `server_url`. */
  ingestUrl: string;
  /** Without it, nothing can be paid. */
  paymentSettings?: PaymentSettings;
  publicUrl: string;
  /** What the service calls itself where people see it. */
  instanceName?: string;
  /** Other origins of pages that passkeys may be used on. */
  allowedOrigins?: readonly string[];
  /** Without it, this process sends no mails. */
  mailSettings?: MailSettings;
  /** Without it, nobody can sign in by an external provider. */
  oauthSettings?: OauthSettings;
  /** Whether a broadcast becomes live only when the media service says so. */
  waitsForMedia?: boolean;
  edge: Edge;
  /** The store of uploaded pictures. */
  files: FileStore;
  /** Without it, publishers aren't disconnected. */
  mediaControl?: MediaControl;
  /** Without it, clips can't be made. */
  mediaServiceSettings?: MediaServiceSettings | null;
  /** Without it, no push notifications are sent. */
  pushSenders?: PushSenders;
  /** Without it, addresses have no known origin. */
  originOf?: OriginOf;
  clock?: Clock;
  meter: Meter;
  /** Called for every message that a room refuses, whether it came by REST or a socket. */
  onSendRefused?: (code: ErrorCode) => void;
  onAlert?: OnAlert;
}) {
  const { mongo, redis, log } = given;
  const { db } = mongo;
  const stores = {
    streams: streamsIn(db),
    grantedRoles: channelRolesIn(db),
    chatBans: chatBansIn(db),
    follows: followsIn(db),
  };
  // When the caller gives no clock, rooms and presence use the Redis server's time.
  const rooms = createRooms({
    ...given,
    ...stores,
    mongo: db,
    onSendRefused,
    onAdmitted: (posted) => features.mentions.note(posted),
    onActDecided: actTextsIn(db).decided,
  });
  given.meter.read(ADMISSION_METRICS, rooms.admissionStats);
  const presence = createPresence(given);
  const userEvents = createUserEvents({ redis, log });
  const control = createControl({ redis, log });
  const base = {
    clock: processClock,
    ...given,
    ...stores,
    rooms,
    presence,
    userEvents,
    control,
  };
  const mails = createMails({
    ...base,
    settings: mailSettings,
    sealing: createSealing(masterKey),
    countingKey: deriveKey(masterKey, "mail-recipients"),
  });
  const {
    start: startAccounts,
    stop: stopAccounts,
    ...accounts
  } = createAccounts({
    ...base,
    mails,
    masterKey,
    publishRevoked: async (revocation) => {
      // Rooms first: after the answer rooms admit no message of this session, however late a worker learns of the revocation.
      try {
        if (revocation.sessionId !== null) await rooms.endSession(revocation.sessionId);
      } finally {
        await control.publish({ type: "session.revoked", ...revocation });
      }
    },
  });
  const actors = createActors({
    ...base,
    waitsForMedia,
    showsRaidMessage: createViewerTexts({ mongo, rooms }).showsRaidMessage,
    publishRoom: (event) => rooms.publish(event),
    publishUsers: userEvents.publish,
    onProgress: (streamId, event) => {
      control.publish({ type: "room.notice", streamId, event }).catch((err: unknown) => {
        log.debug({ err, streamId, type: event.type }, "how something stands could not be shown");
      });
    },
  });
  const parts = { ...base, ...accounts, mails, files, originOf, ...actors };

  const features = createFeatures({
    ...parts,
    masterKey,
    ingestUrl,
    publicUrl,
    instanceName,
    allowedOrigins,
    edge,
    paymentSettings,
    oauthSettings,
    onAlert,
    pushSenders,
    mediaControl: mediaControl ?? createNoMediaControl(log),
    mediaService: mediaServiceSettings && createMediaService(mediaServiceSettings, base.clock),
  });

  return {
    ...parts,
    ...features,
    edge,
    async start(): Promise<void> {
      await Promise.all([startAccounts(), rooms.start()]);
    },
    /** When it resolves, no work is in progress any more. */
    async stop(): Promise<void> {
      await actors.stop();
      await Promise.all([actors.outbox.idle(), features.auditTrail.idle(), features.mentions.idle()]);
      await mails.stop();
      features.pushes.stop();
      await Promise.all([stopAccounts(), userEvents.close(), control.close(), rooms.stop()]);
      rooms.close();
    },
  };
}
