import { expect } from "chai";
import { LINK_LIFE_S } from "../../../../actors/live/playback/edge-links.ts";
import { shows } from "../../../../contract/coverage/shows.ts";
import { movableClock } from "../../../support/clock.ts";
import { EDGE_URL, edgeOf, signedParts } from "../../../support/edge.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const EDGE = {
  url: EDGE_URL,
  signingKeys: ["the key that signs", "the key of before"],
  hasLowLatency: true,
};

describe("playback", () => {
  const clock = movableClock();
  const { world, given } = setUpWorld({ clock, edge: EDGE, trustedProxies: ["127.0.0.1"] });

  const by = (peer: "edge" | "ingest", headers: Record<string, string> = {}) =>
    world.api.with({ "x-system-key": world.systemKeys[peer], ...headers });

  const isGood = (url: string, now?: number) => edgeOf(world).accepts(url, now);

  it("answers an address that the edge takes for this stream and five minutes", async () => {
    const { at } = await given.liveChannel();

    const before = clock.now();
    const source = await world.api.ok("getPlayback", { params: at });

    expect(await isGood(source.manifest_url)).equal(true);
    const other = (await given.channel()).at.stream_id;
    expect(await isGood(source.manifest_url.replace(at.stream_id, other))).equal(false);
    expect(await isGood(source.manifest_url, clock.now() + (LINK_LIFE_S + 1) * 1_000)).equal(false);
    const lifeFrom = (now: number) => Date.parse(source.expires_at) - now;
    expect(lifeFrom(before)).above((LINK_LIFE_S - 1) * 1_000 - 1);
    expect(lifeFrom(clock.now())).below(LINK_LIFE_S * 1_000 + 1);
    expect(signedParts(source.manifest_url).file).equal("index.m3u8");
    shows("playback.signed");
  });

  it("shows neither where the edge gets it from nor what signs", async () => {
    const { at, stream } = await given.liveChannel();
    const config = await by("ingest").ok("getIngestConfig");

    const source = await world.api.ok("getPlayback", { params: at });

    expect(source).keys("stream_id", "manifest_url", "protocol", "expires_at", "live_since", "qualities");
    const text = JSON.stringify(source);
    for (const hidden of [...EDGE.signingKeys, config.server_url, String(stream.stream_key)])
      expect(text).not.include(hidden);
    shows("absent PlaybackSource.origin");
  });

  it("says since when it is live, and null for an offline stream", async () => {
    const live = await given.liveChannel();
    const offline = await given.channel();

    const since = (await world.api.ok("getPlayback", { params: live.at })).live_since;
    expect(since).equal((await world.core.channels.require(live.at.stream_id)).liveSince?.toISOString());
    expect((await world.api.ok("getPlayback", { params: offline.at })).live_since).equal(null);
    shows("absent PlaybackSource.live_since");
  });

  it("answers ll-hls when it is wanted and the edge has it", async () => {
    const { at } = await given.channel();

    const wanted = await world.api.ok("getPlayback", { params: at, query: { protocol: "ll-hls" } });
    const plain = await world.api.ok("getPlayback", { params: at });

    expect([wanted.protocol, plain.protocol]).deep.equal(["ll-hls", "hls"]);
    shows("default PlaybackSource.protocol");
  });

  it("gives an edge all keys, and which one signs; nobody else", async () => {
    const config = await by("edge").ok("getEdgeConfig");

    expect(config.keys.map(({ secret, signs }) => [secret, signs])).deep.equal([
      ["the key that signs", true],
      ["the key of before", false],
    ]);
    expect((await world.api.call("getEdgeConfig")).code).equal("system_key_required");
    const { owner } = await given.channel();
    expect((await owner.api.call("getEdgeConfig")).code).equal("system_key_required");
  });

  it("gives them to nobody outside the configured networks, whatever key they have", async () => {
    const outside = { "x-forwarded-for": "203.0.113.7" };
    expect((await by("edge", outside).call("getEdgeConfig")).code).equal("forbidden");
    expect((await by("ingest", outside).call("getIngestConfig")).code).equal("forbidden");
  });

  it("gives an ingest server the addresses of its hooks", async () => {
    const config = await by("ingest").ok("getIngestConfig");

    expect(config.application).equal("live");
    expect(config.publish_url).equal("https://livecore.example/v1/webhooks/ingest/publish?rename=1");
    expect((await world.api.call("getIngestConfig")).code).equal("system_key_required");
  });
});
