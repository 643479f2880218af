/**
 * All Redis keys of the service. Keys that one script uses share a hash tag, so that Redis Cluster
 * keeps them on one node: a room has its shard's tag, a stream's viewers have the stream's.
 */
export const SHARDS = 16;

/** FNV-1a over the stream's id: stable over processes and versions, since it decides where a room is stored. */
export function shardOf(streamId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < streamId.length; i++) {
    hash = Math.imul(hash ^ streamId.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash % SHARDS;
}

const tag = (shard: number) => `lc:{s${shard}}`;
const room = (streamId: string) => `${tag(shardOf(streamId))}:room:${streamId}`;

/** What socket limits count by: an address (`addressKey`), or a user. */
export type Owner = `a:${string}` | `u:${string}`;

export const keys = {
  /** The shard's live stream that workers tail and the archive consumes. */
  shardLive: (shard: number) => `${tag(shard)}:live`,
  /** The process that archives the shard; with a single server, all shards. */
  archiveLease: (shard: number) => `${tag(shard)}:archive-lease`,
  /** Recently ended sessions: what they send isn't admitted to the shard's rooms. */
  shardEnded: (shard: number) => `${tag(shard)}:ended`,
  /** Held messages of the shard's rooms, by expiry. */
  shardHeld: (shard: number) => `${tag(shard)}:held`,
  /** Prefix of all keys of a room; the admission script gets each complete key that it uses. */
  room,
  roomLog: (streamId: string) => `${room(streamId)}:log`,
  /** Positions of the newest messages in the log. */
  roomPositions: (streamId: string) => `${room(streamId)}:placed`,
  /** The immutable part of the room, for workers that haven't cached it. */
  roomIdentity: (streamId: string) => `${room(streamId)}:identity`,
  roomState: (streamId: string) => `${room(streamId)}:state`,
  /** Part of a state that is being loaded. */
  roomLoading: (streamId: string, loadId: string) => `${room(streamId)}:loading:${loadId}`,
  roomDeleted: (streamId: string) => `${room(streamId)}:deleted`,
  roomActors: (streamId: string) => `${room(streamId)}:actors`,
  roomUnique: (streamId: string) => `${room(streamId)}:unique`,
  roomUser: (streamId: string, userId: string) => `${room(streamId)}:user:${userId}`,
  /** Cache: since when a user follows the channel, while the room's modes need it. */
  roomFollow: (streamId: string, userId: string) => `${room(streamId)}:follow:${userId}`,
  /** Cache: what admission knows of a member besides the role; for two minutes. */
  roomMember: (streamId: string, userId: string) => `${room(streamId)}:member:${userId}`,
  /** Cache: whether a user has chatted in the room before, while its shield mode needs it. */
  roomChatted: (streamId: string, userId: string) => `${room(streamId)}:chatted:${userId}`,
  /** Messages that wait for a moderator. */
  roomHeld: (streamId: string) => `${room(streamId)}:held`,
  /** Which of them are texts of acts, by expiry: these have places of their own. */
  roomHeldActs: (streamId: string) => `${room(streamId)}:held-acts`,
  /** Expiry of one author's last held messages, so that no author can fill the queue alone. */
  roomHeldOf: (streamId: string, userId: string) => `${room(streamId)}:held:${userId}`,
  /** The same for texts of an author's acts. */
  roomHeldActsOf: (streamId: string, userId: string) => `${room(streamId)}:held-acts:${userId}`,
  /** The configuration that its texts are checked with, for workers that haven't cached it. */
  roomConfig: (streamId: string) => `${room(streamId)}:config`,
  roomNonce: (streamId: string, userId: string, nonce: string) =>
    `${room(streamId)}:nonce:${userId}:${nonce}`,

  viewers: (streamId: string) => `lc:{v:${streamId}}:viewers`,
  viewerDevices: (streamId: string, ip: string) => `lc:{v:${streamId}}:ip:${ip}`,
  watchTime: (streamId: string) => `lc:{v:${streamId}}:watch`,

  /** The worker that upgrades actors to their machine's current version. */
  upgradeLease: "lc:upgrade-lease",
  /** The worker that starts and ends automatic hosting. */
  hostingLease: "lc:hosting-lease",
  /** The worker that refunds redemptions that were pending for too long. */
  redemptionsLease: "lc:redemptions-lease",
  /** The worker that makes sure that bans of accounts are enforced. */
  banLease: "lc:ban-lease",
  /** The worker that decides expired held messages. */
  heldLease: "lc:held-lease",
  auditTrailLease: "lc:audit-trail-lease",
  /** The worker that applies the media service's pending reports. */
  mediaHooksLease: "lc:media-hooks-lease",
  publisherLeasesLease: "lc:publisher-leases-lease",
  publisherDropsLease: "lc:publisher-drops-lease",
  /** The worker that requests clips from the media service. */
  clipRequestsLease: "lc:clip-requests-lease",
  /** The worker that notifies the media service of changed clips and recordings. */
  mediaChangesLease: "lc:media-changes-lease",
  /** The worker that applies pending payment reports. */
  paymentsLease: "lc:payments-lease",
  /** The worker that calls the payment platform. */
  platformCallsLease: "lc:platform-calls-lease",
  bannedSellersLease: "lc:banned-sellers-lease",
  /** The workers that settle, and that erase, deleted accounts. */
  deletedAccountsLease: "lc:deleted-accounts-lease",
  erasuresLease: "lc:erasures-lease",
  /** The workers that remove pictures that aren't shown any more, and files without a row. */
  picturesLease: "lc:pictures-lease",
  orphanFilesLease: "lc:orphan-files-lease",
  /** The worker that fans out notifications to lists. */
  notificationsLease: "lc:notifications-lease",
  /** The workers that sample viewers, and that count hours of channels. */
  viewershipLease: "lc:viewership-lease",
  chatMinutesLease: "lc:chat-minutes-lease",
  rollupsLease: "lc:rollups-lease",
  categoryViewersLease: "lc:category-viewers-lease",
  removedCategoriesLease: "lc:removed-categories-lease",
  searchWeightsLease: "lc:search-weights-lease",
  /** The worker that removes likes of deleted clips. */
  removedClipsLease: "lc:removed-clips-lease",

  notificationDeliveriesLease: "lc:notification-deliveries-lease",
  pushesLease: "lc:pushes-lease",
  mailsLease: "lc:mails-lease",
  passwordResetsLease: "lc:password-resets-lease",
  /** Live realtime workers. */
  gateways: "lc:gateways",
  /** Sockets by room, of one worker. */
  roomSizes: (worker: string) => `lc:{w:${worker}}:rooms`,
  /** Signed-in users with a socket in a room, of one worker, for all of its rooms: they expire together. */
  roomChatters: (worker: string) => `lc:{w:${worker}}:chatters`,
  socketsOf: (owner: Owner) => `lc:{${owner}}:sockets`,
  upgradesOf: (owner: Owner) => `lc:{${owner}}:upgrades`,
  /** The head of a user's event log, the log itself, and the sources of recently appended events (dedupe). */
  userHead: (userId: string) => `lc:{u:${userId}}:head`,
  userLog: (userId: string) => `lc:{u:${userId}}:log`,
  userSeen: (userId: string) => `lc:{u:${userId}}:seen`,
  /** Bytes sent in replays. */
  replayedOf: (owner: Owner) => `lc:{${owner}}:replayed`,

  /** Waiting long polls of a personal API token or of an account, whose ids differ; polls in chats have no key here. */
  longPollsOf: (holder: string) => `lc:polls:${holder}`,

  /** What a passkey is waited for, by the challenge's hash. */
  passkeyChallenge: (hash: string) => `lc:passkey-challenge:${hash}`,
  /** A pending sign-in by a provider, by its state's hash. */
  oauthFlow: (hash: string) => `lc:oauth-flow:${hash}`,
  /** A user whom a provider has confirmed and who has no account yet, by the completion token's hash. */
  oauthCompletion: (hash: string) => `lc:oauth-completion:${hash}`,
  /** Number of attempts with that token. */
  oauthCompletionTries: (hash: string) => `lc:oauth-completion-tries:${hash}`,
  /** A used code, by its hash. */
  oauthCode: (hash: string) => `lc:oauth-code:${hash}`,
  ticket: (hash: string) => `lc:ticket:${hash}`,
  /** Pub/sub channels: private events of users, and commands to all workers. */
  userEvents: "lc:user-events",
  control: "lc:control",
  actorTurn: (actor: string) => `lc:turn:${actor}`,
} as const;
