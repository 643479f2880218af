/**
 * Every Redis key of the service. What one script touches together shares a hash tag, so that Redis Cluster
 * keeps it on one node: a room lives in its shard's tag, viewers of a stream in the stream's.
 */
export const SHARDS = 16;

/** FNV-1a over the stream's id: stable over processes and versions, since it decides where a room lives. */
export function shardOf(streamId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < streamId.length; i++) {
    hash = Math.imul(hash ^ streamId.charCodeAt(i), 0x01000193) >>> 0;
  }
  return hash % SHARDS;
}

const tag = (shard: number) => `lc:{s${shard}}`;
const room = (streamId: string) => `${tag(shardOf(streamId))}:room:${streamId}`;

/** What limits of sockets count by: an address (`addressKey`), or a user. */
export type Owner = `a:${string}` | `u:${string}`;

export const keys = {
  /** The shard's live stream that workers tail and the archive consumes. */
  shardLive: (shard: number) => `${tag(shard)}:live`,
  /** Who archives the shard, and at a single server all of them. */
  archiveLease: (shard: number) => `${tag(shard)}:archive-lease`,
  /** run_id of the server that the shard last saw, and what has been archived. */
  shardMeta: (shard: number) => `${tag(shard)}:meta`,
  /** Sessions that ended a short while ago: what they send isn't admitted to the shard's rooms. */
  shardEnded: (shard: number) => `${tag(shard)}:ended`,
  /** The held messages of its rooms, by when they expire. */
  shardHeld: (shard: number) => `${tag(shard)}:held`,
  /** Prefix of all keys of a room; the admission script is given each whole key that it uses. */
  room,
  roomLog: (streamId: string) => `${room(streamId)}:log`,
  /** Where in the log its newest messages stand. */
  roomPositions: (streamId: string) => `${room(streamId)}:placed`,
  /** What never changes of it, for workers that haven't looked it up. */
  roomIdentity: (streamId: string) => `${room(streamId)}:identity`,
  roomState: (streamId: string) => `${room(streamId)}:state`,
  /** Part of a state that is on its way here. */
  roomLoading: (streamId: string, loadId: string) => `${room(streamId)}:loading:${loadId}`,
  roomDeleted: (streamId: string) => `${room(streamId)}:deleted`,
  roomActors: (streamId: string) => `${room(streamId)}:actors`,
  roomUnique: (streamId: string) => `${room(streamId)}:unique`,
  roomUser: (streamId: string, userId: string) => `${room(streamId)}:user:${userId}`,
  /** Since when somebody follows the channel, while its room asks for it. */
  roomFollow: (streamId: string, userId: string) => `${room(streamId)}:follow:${userId}`,
  /** What admission knows of a member beside the role; for two minutes. */
  roomMember: (streamId: string, userId: string) => `${room(streamId)}:member:${userId}`,
  /** Whether somebody has been heard in the room, while its shield asks for it. */
  roomHeard: (streamId: string, userId: string) => `${room(streamId)}:heard:${userId}`,
  /** Messages that wait for a moderator. */
  roomHeld: (streamId: string) => `${room(streamId)}:held`,
  /** When those of one author expire, that the author's turn to fill the queue ends. */
  roomHeldOf: (streamId: string, userId: string) => `${room(streamId)}:held:${userId}`,
  /** What its texts are checked with, for workers that haven't looked it up. */
  roomConfig: (streamId: string) => `${room(streamId)}:config`,
  roomNonce: (streamId: string, userId: string, nonce: string) =>
    `${room(streamId)}:nonce:${userId}:${nonce}`,

  viewers: (streamId: string) => `lc:{v:${streamId}}:viewers`,
  viewerDevices: (streamId: string, ip: string) => `lc:{v:${streamId}}:ip:${ip}`,
  watchTime: (streamId: string) => `lc:{v:${streamId}}:watch`,

  /** Who brings actors up to the version of their machine. */
  upgradeLease: "lc:upgrade-lease",
  /** Who begins and ends hosting by itself. */
  hostingLease: "lc:hosting-lease",
  /** Who refunds what was pending for too long. */
  redemptionsLease: "lc:redemptions-lease",
  /** Who makes sure that bans of accounts are enforced. */
  banLease: "lc:ban-lease",
  /** Who decides about held messages whose time is over. */
  heldLease: "lc:held-lease",
  auditTrailLease: "lc:audit-trail-lease",
  /** Who applies what was left of the media service's reports. */
  mediaHooksLease: "lc:media-hooks-lease",
  publisherDropsLease: "lc:publisher-drops-lease",
  /** Who asks the media service for clips. */
  clipRequestsLease: "lc:clip-requests-lease",
  /** Who applies what was left of reports of payments. */
  paymentsLease: "lc:payments-lease",
  /** Who tells the payment platform. */
  platformCallsLease: "lc:platform-calls-lease",
  bannedSellersLease: "lc:banned-sellers-lease",
  /** Who settles, and who erases, deleted accounts. */
  deletedAccountsLease: "lc:deleted-accounts-lease",
  erasuresLease: "lc:erasures-lease",
  /** Who removes pictures that aren't shown any more, and files without a row. */
  picturesLease: "lc:pictures-lease",
  orphanFilesLease: "lc:orphan-files-lease",
  /** Who makes lists of notifications. */
  notificationsLease: "lc:notifications-lease",
  /** Who looks at viewers, and who counts hours of channels. */
  viewershipLease: "lc:viewership-lease",
  rollupsLease: "lc:rollups-lease",
  categoryViewersLease: "lc:category-viewers-lease",
  removedCategoriesLease: "lc:removed-categories-lease",
  searchWeightsLease: "lc:search-weights-lease",
  /** Who removes likes of clips that are gone. */
  removedClipsLease: "lc:removed-clips-lease",

  /** Who sends mails. */
  notificationDeliveriesLease: "lc:notification-deliveries-lease",
  pushesLease: "lc:pushes-lease",
  mailsLease: "lc:mails-lease",
  passwordResetsLease: "lc:password-resets-lease",
  /** Realtime workers that live. */
  gateways: "lc:gateways",
  /** Sockets by room, of one of them. */
  roomSizes: (worker: string) => `lc:{w:${worker}}:rooms`,
  /** Signed-in users with a socket in a room, of one of them, for all rooms: they expire together. */
  roomChatters: (worker: string) => `lc:{w:${worker}}:chatters`,
  socketsOf: (owner: Owner) => `lc:{${owner}}:sockets`,
  upgradesOf: (owner: Owner) => `lc:{${owner}}:upgrades`,
  /** Where a user's own events stand, the last of them, and which were appended lately. */
  userHead: (userId: string) => `lc:{u:${userId}}:head`,
  userLog: (userId: string) => `lc:{u:${userId}}:log`,
  userSeen: (userId: string) => `lc:{u:${userId}}:seen`,
  /** Bytes that replays brought. */
  replayedOf: (owner: Owner) => `lc:{${owner}}:replayed`,

  /** Requests of a personal API token that wait for messages. */
  pollsOf: (tokenId: string) => `lc:polls:${tokenId}`,

  /** A sign-in by a provider that is under way, by its state's hash. */
  oauthFlow: (hash: string) => `lc:oauth-flow:${hash}`,
  /** Whoever a provider has confirmed and who has no account yet, by the completion token's hash. */
  oauthCompletion: (hash: string) => `lc:oauth-completion:${hash}`,
  /** How often that token was tried. */
  oauthCompletionTries: (hash: string) => `lc:oauth-completion-tries:${hash}`,
  /** A code that was used, by its hash. */
  oauthCode: (hash: string) => `lc:oauth-code:${hash}`,
  ticket: (hash: string) => `lc:ticket:${hash}`,
  /** Pub/sub channels: private events of users, and orders to all workers. */
  userEvents: "lc:user-events",
  control: "lc:control",
  actorTurn: (actor: string) => `lc:turn:${actor}`,
} as const;
