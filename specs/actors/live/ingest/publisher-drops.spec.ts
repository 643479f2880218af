// @waits: for runs of the sweeps.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import {
  createNginxRtmpControl,
  createNoMediaControl,
} from "../../../../actors/live/ingest/media-control.ts";
import { createPublisherDrops } from "../../../../actors/live/ingest/publisher-drops.ts";
import { FIRST_PICTURE_MS } from "../../../../actors/live/live-stream/machine.ts";
import { PUBLISHER_LEASE_MS } from "../../../../actors/live/live-stream/publisher-lease.ts";
import { newId } from "../../../../base/ids.ts";
import type { StreamDoc } from "../../../../store/mongo/channels/streams.ts";
import { type LogLine, recordingLog } from "../../../support/recording-log.ts";
import { openWorld, type World } from "../../host/world.ts";

/** An RTMP server's control module, as nginx-rtmp speaks: it answers with the number of those that it dropped. */
async function openRtmpServer() {
  const requests: string[] = [];
  const answering = { with: (answer: ServerResponse) => void answer.end("1") };
  const server = createServer(({ url = "" }, answer) => {
    requests.push(url);
    answering.with(answer);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/control`,
    requests,
    answering,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

describe("The publisher of a broadcast that was ended", () => {
  let world: World;
  let rtmp: Awaited<ReturnType<typeof openRtmpServer>>;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());
  beforeEach(async () => {
    rtmp = await openRtmpServer();
    await world.mongo.db.collection("publisher_drops").deleteMany({});
  });
  afterEach(() => rtmp.close());

  const dropsWith = (mediaControl = createNginxRtmpControl({ url: rtmp.url, application: "ingest" })) =>
    createPublisherDrops({ ...world.deps, mediaControl });
  const waiting = () => world.mongo.db.collection("publisher_drops").countDocuments();

  async function published(clientId: string): Promise<StreamDoc> {
    const stream = await world.stream();
    await world.broadcasts.publish({ stream, clientId });
    return stream;
  }
  const rotate = ({ _id: streamId, userId: ownerId }: StreamDoc) =>
    world.broadcasts.rotateKey({ streamId, ownerId, keyHash: newId(), keySealed: "sealed" });
  const dropOf = ({ _id }: StreamDoc, clientId: string) =>
    `/control/drop/publisher?app=ingest&name=${_id}&clientid=${clientId}`;

  it("is dropped once, by its connection, when the key is rotated and when its owner is banned", async () => {
    const [rotated, banned, live] = [await published("7"), await published("8"), await published("9")];
    await world.pass(FIRST_PICTURE_MS);
    await rotate(rotated);
    await world.broadcasts.ownerBanned(banned._id);
    await world.broadcasts.publishDone({ stream: live, clientId: "9" });
    const drops = dropsWith();
    await drops.sweep();
    await drops.sweep();
    expect(rtmp.requests).members([dropOf(rotated, "7"), dropOf(banned, "8")]);
    expect(await waiting()).equal(0);
  });

  it("isn't there any more when it left before: then no request is made", async () => {
    const stream = await published("7");
    await world.pass(FIRST_PICTURE_MS);
    await world.broadcasts.publishDone({ stream, clientId: "7" });
    await rotate(stream);
    await dropsWith().sweep();
    expect(rtmp.requests).deep.equal([]);
  });

  it("is dropped later when the server is away, and given up in the end", async () => {
    const stream = await published("7");
    await rotate(stream);
    rtmp.answering.with = (answer) => void answer.writeHead(500).end();
    const drops = dropsWith();
    await drops.sweep();
    await drops.sweep();
    expect(rtmp.requests).length(1);
    rtmp.answering.with = (answer) => void answer.destroy();
    world.move(1_000);
    await drops.sweep();
    expect(rtmp.requests).length(2);
    expect(await waiting()).equal(1);
    for (let i = 2; i < 125; i++) {
      world.move(60_000);
      await drops.sweep();
    }
    expect(rtmp.requests).length(125);
    expect(await waiting()).equal(0);
    const given = world.lines.filter(
      ({ level, message }) => level === "error" && message.includes("publisher"),
    );
    expect(given).length(1);
  });

  it("drops the publisher when its broadcast is ended on request or another one takes over", async () => {
    const [ended, replaced] = [await published("7"), await published("8")];
    await world.pass(FIRST_PICTURE_MS);
    await world.broadcasts.end(ended, ended.userId);
    world.move(PUBLISHER_LEASE_MS);
    await world.broadcasts.publish({ stream: replaced, clientId: "9" });

    await dropsWith().sweep();

    expect(rtmp.requests).members([dropOf(ended, "7"), dropOf(replaced, "8")]);
  });

  it("skips the drop when a restarted server gave the connection id to a new publisher", async () => {
    const stream = await published("7");
    await world.broadcasts.end(stream, stream.userId);
    await world.broadcasts.publish({ stream, clientId: "7" });

    await dropsWith().sweep();

    expect(rtmp.requests).deep.equal([]);
    expect(await waiting()).equal(0);
  });

  it("keeps a sweep for three seconds when the server doesn't answer", async () => {
    await rotate(await published("7"));
    rtmp.answering.with = () => undefined;
    const from = performance.now();
    await dropsWith().sweep();
    expect(performance.now() - from).within(2_900, 8_000);
    expect(await waiting()).equal(1);
  });

  it("stays where no control is configured, which is logged once", async () => {
    const lines: LogLine[] = [];
    const drops = dropsWith(createNoMediaControl(recordingLog(lines)));
    await rotate(await published("7"));
    await drops.sweep();
    await rotate(await published("8"));
    await drops.sweep();
    expect(lines.map(({ level }) => level)).deep.equal(["debug"]);
    expect(await waiting()).equal(0);
  });
});
