import { liveStreamMachine } from "../../actors/live-stream/machine.ts";
import { describeTable, REFUSED } from "./state-table.ts";

const offline = {
  ownerId: "o",
  clientId: null,
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
  // By the media service: the publisher is still there.
  interrupted: { ...connected, liveSince: 15_000, mediaAt: 20_000 },
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
  keyRotated: { type: "keyRotated", keyHash: "h", keySealed: "s" },
  ownerBanned: { type: "ownerBanned" },
  [FIRST_PICTURE]: { type: FIRST_PICTURE },
  [GRACE]: { type: GRACE },
};

const all = (outcome: string) => Object.fromEntries(Object.keys(events).map((name) => [name, outcome]));
const ended = "offline goOffline cutOff";
const rotated = "offline goOffline setKey cutOff";

describe("the live-stream machine", () => {
  describeTable({
    machine: liveStreamMachine,
    contextOf: (path) => contexts[path] ?? offline,
    events,
    outcomes: {
      offline: {
        ...all(REFUSED),
        published: "starting",
        "published by another": "starting",
        keyRotated: "offline setKey",
      },
      starting: {
        ...all(REFUSED),
        published: "starting",
        publishEnded: "offline",
        keyRotated: "offline setKey cutOff",
        ownerBanned: "offline cutOff",
        "mediaLive, newer": "live goLive nameMediaStream",
        "mediaLive, older": "live goLive nameMediaStream",
        "mediaIdle, newer": "starting",
        "mediaIdle, older": "starting",
        [FIRST_PICTURE]: "live goLive",
      },
      live: {
        ...all(REFUSED),
        published: "live",
        publishEnded: "interrupted",
        "mediaLive, newer": "live nameMediaStream",
        "mediaIdle, newer": "interrupted",
        keyRotated: rotated,
        ownerBanned: ended,
      },
      interrupted: {
        ...all(REFUSED),
        published: "interrupted",
        "published by another": "live",
        publishEnded: "interrupted",
        "mediaLive, newer": "live nameMediaStream",
        "mediaIdle, newer": "interrupted",
        "mediaIdle, older": "interrupted",
        keyRotated: rotated,
        ownerBanned: ended,
        [GRACE]: "starting goOffline",
      },
    },
  });
});
