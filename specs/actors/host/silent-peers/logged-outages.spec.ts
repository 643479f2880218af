import { expect } from "chai";
import { createPictures } from "../../../../actors/channels/pictures/pictures.ts";
import { createSealing } from "../../../../actors/keys/sealing.ts";
import { createClipRequests } from "../../../../actors/live/clips/requests.ts";
import { createPublisherDrops } from "../../../../actors/live/ingest/publisher-drops.ts";
import { createMediaChanges } from "../../../../actors/live/playback/media-changes.ts";
import { createMails } from "../../../../actors/mail/mails.ts";
import { MailServerUnavailable } from "../../../../actors/mail/transport.ts";
import { createPlatformCalls } from "../../../../actors/monetization/payments/call-sweep.ts";
import { newId } from "../../../../base/ids.ts";
import { silentMeter } from "../../../../base/metrics.ts";
import { unavailable } from "../../../../contract/errors.ts";
import { filesCollection } from "../../../../store/mongo/channels/files.ts";
import { streamsIn } from "../../../../store/mongo/channels/streams.ts";
import { mediaChangesIn } from "../../../../store/mongo/host/media-changes.ts";
import { broadcastsCollection } from "../../../../store/mongo/live/broadcasts.ts";
import { clipsCollection } from "../../../../store/mongo/live/clips.ts";
import { publisherDropsCollection } from "../../../../store/mongo/live/publisher-drops.ts";
import {
  platformCallDocs,
  platformCallsCollection,
} from "../../../../store/mongo/monetization/platform-calls.ts";
import { clipDoc } from "../../../support/clip-doc.ts";
import { MASTER_KEY } from "../../../support/core.ts";
import { openWorld, type World } from "../world.ts";

/** Rows that wait for the peer. */
const ROWS = 4;
/** Longer than a failed row is postponed at first. */
const LATER_MS = 11 * 60_000;

describe("Outages of other machines in the log", () => {
  let world: World;
  let isAway: boolean;
  let uses: number;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  beforeEach(() => {
    [isAway, uses] = [true, 0];
    world.lines.splice(0);
  });

  /** Stands for the other machine. */
  const use = async (failure: () => Error = () => new Error("no answer in time")): Promise<void> => {
    uses++;
    if (isAway) throw failure();
  };

  const peers: Record<string, () => Promise<{ sweep(): Promise<void>; atMost?: number }>> = {
    "mail server": async () => {
      const send = () => use(() => new MailServerUnavailable("no answer in time"));
      const mails = createMails({
        ...world.deps,
        sealing: createSealing(MASTER_KEY),
        countingKey: Buffer.alloc(32),
        settings: {
          transport: { send, senderHost: "live.example", close: () => undefined },
          linksUrl: "https://live.example",
        },
        meter: silentMeter(),
      });
      for (let n = 0; n < ROWS; n++)
        await mails.request({
          key: newId(),
          template: "reset_password",
          to: `ana@${newId()}.example.com`,
          userId: null,
          data: { username: "ana", token: "secret-token" },
        });
      return { sweep: () => mails.sweep() };
    },

    "rtmp server: publisher drop": async () => {
      const drops = createPublisherDrops({ ...world.deps, mediaControl: { dropPublisher: () => use() } });
      const at = new Date(world.clock.now());
      await publisherDropsCollection.in(world.mongo.db).insertMany(
        Array.from({ length: ROWS }, (_, n) => ({
          _id: newId(),
          streamId: newId(),
          clientId: String(n),
          createdAt: at,
          dueAt: at,
          failures: 0,
        })),
      );
      return { sweep: drops.sweep };
    },

    "media service: clip request": async () => {
      const { db } = world.mongo;
      const stream = await world.stream();
      const broadcastId = newId();
      await broadcastsCollection.in(db).insertOne({
        _id: broadcastId,
        streamId: stream._id,
        ownerId: stream.userId,
        startedAt: new Date(world.clock.now()),
        endedAt: null,
        endReason: null,
        peakViewers: 0,
        viewerSum: 0,
        samples: 0,
      });
      const request = { isTaken: false, failures: 0, dueAt: new Date(world.clock.now()) };
      const clip = () => clipDoc({ streamId: stream._id, broadcastId, status: "processing", request });
      await clipsCollection.in(db).insertMany(Array.from({ length: ROWS }, clip));
      const requests = createClipRequests({
        ...world.deps,
        streams: streamsIn(db),
        onAlert: () => undefined,
        mediaService: mediaService(),
      });
      return { sweep: () => requests.sweep(() => true) };
    },

    "media service: change of files": async () => {
      const { db } = world.mongo;
      for (let n = 0; n < ROWS; n++)
        await mediaChangesIn(db).addNow({ kind: "clip", id: newId() }, new Date(world.clock.now()));
      const changes = createMediaChanges({
        ...world.deps,
        streams: streamsIn(db),
        directory: { usersByIds: async () => new Map() },
        onAlert: () => undefined,
        mediaService: mediaService(),
      });
      return { sweep: () => changes.sweep(() => true) };
    },

    "payment platform: call": async () => {
      const call = { kind: "stop", platformId: "p" } as const;
      const rows = Array.from({ length: ROWS }, () =>
        platformCallDocs(newId(), [call], new Date(world.clock.now())),
      );
      await platformCallsCollection.in(world.mongo.db).insertMany(rows.flat());
      const calls = createPlatformCalls({
        ...world.deps,
        onAlert: () => undefined,
        platform: {
          reports: "own",
          openCheckout: () => Promise.reject(new Error("no checkout here")),
          verifyHook: () => undefined,
          readHook: () => null,
          call: () => use(),
        },
      });
      return { sweep: () => calls.sweep(), atMost: 3 };
    },

    "file store: removal": async () => {
      const at = new Date(world.clock.now());
      await filesCollection.in(world.mongo.db).insertMany(
        Array.from({ length: ROWS }, () => ({
          _id: `${newId().replaceAll("-", "").padEnd(64, "0")}.webp`,
          userId: newId(),
          kind: "avatar" as const,
          state: "dropped" as const,
          createdAt: at,
          dueAt: at,
        })),
      );
      const pictures = createPictures({
        ...world.deps,
        publicUrl: "https://live.example",
        files: {
          put: () => use(),
          read: () => use().then(() => null),
          remove: () => use(() => unavailable({ cause: new Error("no answer in time") })),
          removeDrafts: async () => undefined,
          list: async function* () {
            yield [];
          },
        },
      });
      return { sweep: () => pictures.sweep(), atMost: 1 };
    },
  };

  const mediaService = () => ({
    requestClip: () => use(),
    reportFiles: () => use(),
    deletePictures: () => use(),
  });

  for (const [name, open] of Object.entries(peers))
    it(`have one line when they begin and one when they end: ${name}`, async () => {
      const { sweep, atMost = ROWS } = await open();

      await sweep();
      expect(uses, "uses while it is away").within(1, atMost);
      for (let round = 0; round < 3; round++) {
        world.move(LATER_MS);
        await sweep();
      }
      isAway = false;
      for (let round = 0; round < ROWS; round++) {
        world.move(LATER_MS);
        await sweep();
      }

      const logged = world.lines.filter(({ level }) => level !== "debug");
      expect(logged.map(({ level, message }) => `${level} ${message}`)).deep.equal([
        `warn ${name} failed`,
        `info ${name} recovered`,
      ]);
    });
});
