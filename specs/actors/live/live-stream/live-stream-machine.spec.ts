import { liveStreamMachine } from "../../../../actors/live/live-stream/machine.ts";
import { describeTable, REFUSED } from "../../host/state-table.ts";

const offline = {
  ownerId: "o",
  clientId: null,
  lostClientId: null,
  sessionId: null,
  liveSince: null,
  publishedAt: null,
  waitsForMedia: false,
  mediaAt: null,
};
const connected = { ...offline, clientId: "1", sessionId: "s", publishedAt: 10_000 };
const contexts: Record<string, object> = {
  offline,
  starting: connected,
  live: { ...connected, liveSince: 15_000, mediaAt: 20_000 },
  // By the media service: the publisher is still there, and another one was lost before.
  interrupted: { ...connected, liveSince: 15_000, mediaAt: 20_000, lostClientId: "0" },
};

const FIRST_PICTURE = "xstate.after.firstPicture.live-stream.starting";
const GRACE = "xstate.after.grace.live-stream.interrupted";

const events = {
  published: { type: "published", clientId: "1", sessionId: "t", waitsForMedia: false },
  "published by another": { type: "published", clientId: "2", sessionId: "t", waitsForMedia: false },
  publishEnded: { type: "publishEnded", clientId: "1" },
  "publishEnded of another": { type: "publishEnded", clientId: "2" },
  "mediaLive, newer": { type: "mediaLive", mediaStreamId: "m", sessionId: "u", seenAt: 21_000 },
  "mediaLive, older": { type: "mediaLive", mediaStreamId: "m", sessionId: "u", seenAt: 19_000 },
  "mediaLive, of before": { type: "mediaLive", mediaStreamId: "m", sessionId: "u", seenAt: 4_999 },
  "mediaIdle, newer": { type: "mediaIdle", seenAt: 21_000 },
  "mediaIdle, older": { type: "mediaIdle", seenAt: 19_000 },
  "mediaIdle, of before": { type: "mediaIdle", seenAt: 4_999 },
  publisherSeen: { type: "publisherSeen", clientId: "1" },
  "publisherSeen of another": { type: "publisherSeen", clientId: "2" },
  "publisherSeen of the lost one": { type: "publisherSeen", clientId: "0" },
  publisherLost: { type: "publisherLost", clientId: "1" },
  "publisherLost of another": { type: "publisherLost", clientId: "2" },
  end: { type: "end" },
  keyRotated: { type: "keyRotated", keyHash: "h", keySealed: "s" },
  ownerBanned: { type: "ownerBanned" },
  [FIRST_PICTURE]: { type: FIRST_PICTURE },
  [GRACE]: { type: GRACE },
};

const all = (outcome: string) => Object.fromEntries(Object.keys(events).map((name) => [name, outcome]));
const ended = "offline goOffline cutOff trackPublisher tellOwner";
const rotated = "offline goOffline setKey cutOff trackPublisher tellOwner";

describe("the live-stream machine", () => {
  describeTable({
    machine: liveStreamMachine,
    contextOf: (path) => contexts[path] ?? offline,
    events,
    outcomes: {
      offline: {
        ...all(REFUSED),
        published: "starting trackPublisher tellOwner",
        "published by another": "starting trackPublisher tellOwner",
        end: "offline",
        keyRotated: "offline setKey",
      },
      starting: {
        ...all(REFUSED),
        published: "starting trackPublisher",
        "published by another": "starting cutOff trackPublisher tellOwner",
        publishEnded: "offline trackPublisher tellOwner",
        publisherSeen: "starting trackPublisher",
        publisherLost: "offline trackPublisher tellOwner",
        end: "offline cutOff trackPublisher tellOwner",
        keyRotated: "offline setKey cutOff trackPublisher tellOwner",
        ownerBanned: "offline cutOff trackPublisher tellOwner",
        "mediaLive, newer": "live goLive nameMediaStream tellOwner",
        "mediaLive, older": "live goLive nameMediaStream tellOwner",
        "mediaIdle, newer": "starting",
        "mediaIdle, older": "starting",
        [FIRST_PICTURE]: "live goLive tellOwner",
      },
      live: {
        ...all(REFUSED),
        published: "live trackPublisher",
        "published by another": "live cutOff trackPublisher",
        publishEnded: "interrupted trackPublisher tellOwner",
        publisherSeen: "live trackPublisher",
        publisherLost: "interrupted trackPublisher tellOwner",
        "mediaLive, newer": "live nameMediaStream",
        "mediaIdle, newer": "interrupted tellOwner",
        end: ended,
        keyRotated: rotated,
        ownerBanned: ended,
      },
      interrupted: {
        ...all(REFUSED),
        published: "interrupted trackPublisher",
        "published by another": "live cutOff trackPublisher tellOwner",
        publishEnded: "interrupted trackPublisher",
        publisherSeen: "interrupted trackPublisher",
        "publisherSeen of the lost one": "live trackPublisher tellOwner",
        publisherLost: "interrupted trackPublisher",
        "mediaLive, newer": "live nameMediaStream tellOwner",
        "mediaIdle, newer": "interrupted",
        "mediaIdle, older": "interrupted",
        end: ended,
        keyRotated: rotated,
        ownerBanned: ended,
        [GRACE]: ended,
      },
    },
  });
});
