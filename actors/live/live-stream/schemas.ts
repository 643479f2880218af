import Type from "typebox";
import {
  type CommandOf,
  commandsOf,
  count,
  exactly,
  identifier,
  orNull,
  type Static,
} from "../../host/schemas.ts";

export const liveStreamContext = exactly({
  ownerId: identifier,
  /** The RTMP server's id of the connected publisher; null when none is. */
  clientId: orNull(identifier),
  /** The publisher that was lost during the picture: an update of it takes it back. Null for none, and once another one came. */
  lostClientId: orNull(identifier),
  /** The broadcast that is running or starting; null when offline. */
  sessionId: orNull(identifier),
  /** Since when viewers see a picture, Unix ms, by the media service's clock if it reports; null before. */
  liveSince: orNull(count),
  /** When the last publisher connected, Unix ms; earlier media reports are about another publisher. Null when offline. */
  publishedAt: orNull(count),
  /** Whether the media service will report that there is a picture. */
  waitsForMedia: Type.Boolean(),
  /** Watermark: the time of the newest media report about this publisher, by the media service's clock, Unix ms; or null. */
  mediaAt: orNull(count),
});

const sealed = Type.String({ minLength: 1, maxLength: 1_024 });

export const liveStreamCommands = commandsOf({
  /** `keyHash` is of the key that the publisher presented; `sessionId` is a new id, used if a broadcast begins. */
  published: {
    clientId: identifier,
    sessionId: identifier,
    keyHash: identifier,
    waitsForMedia: Type.Boolean(),
  },
  publishEnded: { clientId: identifier },
  /** Its server reports it as connected. Only sent where the collection of publishers doesn't have it as such. */
  publisherSeen: { clientId: identifier },
  /** Its server has stopped reporting it. */
  publisherLost: { clientId: identifier },
  /** By the owner or staff. */
  end: {},
  /**
   * Media reports; `seenAt` is the media service's time, Unix ms. They may come late, repeatedly and out of order. `sessionId` is
   * a new id, used if a broadcast begins.
   */
  mediaLive: { mediaStreamId: orNull(identifier), seenAt: count, sessionId: identifier },
  mediaIdle: { seenAt: count },
  /** The new key: its hash, and the sealed key itself. */
  keyRotated: { keyHash: identifier, keySealed: sealed },
  ownerBanned: {},
});

export const liveStreamInput = exactly({ ownerId: identifier });

export type LiveStreamInput = Static<typeof liveStreamInput>;
export type LiveStreamContext = Static<typeof liveStreamContext>;
export type LiveStreamCommand = CommandOf<typeof liveStreamCommands>;
export type LiveStreamEvent = LiveStreamCommand;
