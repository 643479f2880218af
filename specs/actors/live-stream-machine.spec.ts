import { liveStreamMachine } from "../../actors/live-stream/machine.ts";
import { describeTable, REFUSED } from "./state-table.ts";

const offline = { ownerId: "o", clientId: null, sessionId: null, liveSince: null };
const contexts: Record<string, object> = {
  offline,
  starting: { ...offline, clientId: "1", sessionId: "s" },
  live: { ...offline, clientId: "1", sessionId: "s", liveSince: 5 },
  interrupted: { ...offline, sessionId: "s", liveSince: 5 },
};

const FIRST_PICTURE = "xstate.after.firstPicture.live-stream.starting";
const GRACE = "xstate.after.grace.live-stream.interrupted";

const events = {
  published: { type: "published", clientId: "1", sessionId: "t" },
  "published by another": { type: "published", clientId: "2", sessionId: "t" },
  publishEnded: { type: "publishEnded", clientId: "1" },
  "publishEnded of another": { type: "publishEnded", clientId: "2" },
  keyRotated: { type: "keyRotated" },
  ownerBanned: { type: "ownerBanned" },
  [FIRST_PICTURE]: { type: FIRST_PICTURE },
  [GRACE]: { type: GRACE },
};

const all = (outcome: string) => Object.fromEntries(Object.keys(events).map((name) => [name, outcome]));
const ended = "offline goOffline";

describe("the live-stream machine", () => {
  describeTable({
    machine: liveStreamMachine,
    contextOf: (path) => contexts[path] ?? offline,
    events,
    outcomes: {
      offline: { ...all(REFUSED), published: "starting", "published by another": "starting" },
      starting: {
        ...all(REFUSED),
        published: "starting",
        publishEnded: "offline",
        keyRotated: "offline",
        ownerBanned: "offline",
        [FIRST_PICTURE]: "live goLive",
      },
      live: {
        ...all(REFUSED),
        published: "live",
        publishEnded: "interrupted",
        keyRotated: ended,
        ownerBanned: ended,
      },
      interrupted: {
        ...all(REFUSED),
        published: "live",
        "published by another": "live",
        keyRotated: ended,
        ownerBanned: ended,
        [GRACE]: ended,
      },
    },
  });
});
