import { expect } from "chai";
import fc from "fast-check";
import { newStreamKey, streamKeyHash } from "../../../actors/accounts/tokens/stream-keys.ts";
import { changedModes } from "../../../actors/channels/chat-modes.ts";
import { ownStreamView, streamCard, streamSummary, streamView } from "../../../actors/channels/view.ts";
import { effectiveModes, modesView } from "../../../realtime/rooms/state/modes.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { type ChatModesDoc, defaultChatModes } from "../../../store/mongo/host/chat-modes.ts";

const at = new Date("2026-11-21T12:00:00.000Z");
const stream: StreamDoc = {
  _id: "0193500a-0000-7000-8000-000000000001",
  userId: "0193500a-0000-7000-8000-000000000002",
  roomId: 7,
  name: "Evening",
  thumbnailUrl: null,
  categoryId: null,
  language: "de",
  isMature: false,
  tags: ["cosy"],
  ingressId: "0193500a-0000-7000-8000-000000000003",
  mediaStreamId: null,
  ingressPullUrl: "https://camera.example/live",
  streamKeyHash: "hash",
  streamKeySealed: "sealed",
  isLive: true,
  liveSince: at,
  sessionId: null,
  modes: { ...defaultChatModes, shieldMode: true },
  chatVersion: 3,
  viewerCount: 5,
  createdAt: at,
  updatedAt: at,
};

const MUSIC = { id: "0193500a-0000-7000-8000-000000000004", slug: "music", name: "Music" };
const categories = new Map([[MUSIC.id, MUSIC]]);
const user = { id: stream.userId, username: "ada", username_title: "Ada", image_url: null };

describe("views of a stream", () => {
  it("show ingest fields to the owner alone, and never how the key is kept", () => {
    const secret = ["server_url", "stream_key", "ingress_pull_url", "ingest"];
    const ingest = { status: "offline", since: null, live_since: null, ends_at: null } as const;
    const owner = { serverUrl: "rtmp://ingest.example/live", streamKey: "live_k", ingest };
    const own = ownStreamView(stream, 9, owner);

    expect(own).include({ server_url: "rtmp://ingest.example/live", stream_key: "live_k", ingest });
    const shown = { user, categories };
    const open = [streamView(stream, 9), streamSummary(stream, 9, categories), streamCard(stream, 9, shown)];
    for (const one of open) {
      expect(one).not.have.any.keys(...secret);
      expect(one.realtime_viewer_count).equal(9);
      expect(JSON.stringify(one)).not.match(/sealed|hash/);
    }
  });

  it("show the base chat settings, also under shield", () => {
    expect(streamView(stream, 0)).include({
      chat_slow_mode: false,
      chat_slow_mode_seconds: 30,
      chat_unique_chat: false,
      is_chat_followers_only: false,
      chat_shield_mode: true,
    });
  });

  it("name a category only when there is one", () => {
    const among = { ...stream, categoryId: MUSIC.id };
    const shown = { user, categories };
    expect(streamSummary(stream, 0, categories)).not.have.property("category");
    expect(streamSummary({ ...stream, categoryId: "gone" }, 0, categories)).not.have.property("category");
    expect(streamSummary(among, 0, categories).category).deep.equal(MUSIC);
    expect(streamCard(among, 0, shown).category).deep.equal(MUSIC);
  });
});

const chatModesView = (modes: ChatModesDoc) => modesView(effectiveModes(modes));

describe("chat modes", () => {
  it("show null for what is off and 0 minutes for any follower", () => {
    expect(chatModesView(defaultChatModes)).deep.equal({
      chat_enabled: true,
      slow: null,
      emote_only: false,
      followers_only: null,
      unique_chat: false,
      shield_mode: false,
    });
    expect(chatModesView({ ...defaultChatModes, followersOnly: true, slow: true })).include({
      followers_only: 0,
      slow: 30,
    });
  });

  it("show the stricter of base and shield", () => {
    const shielded = (base: object) => chatModesView({ ...defaultChatModes, ...base, shieldMode: true });

    expect(shielded({})).include({ slow: 10, followers_only: 10, unique_chat: true });
    expect(shielded({ slow: true, slowSeconds: 3, followersOnly: true, followersMinutes: 60 })).include({
      slow: 10,
      followers_only: 60,
    });
  });

  it("come back as a change requests them, whatever they were", () => {
    const change = fc.record({
      chat_enabled: fc.boolean(),
      slow: fc.option(fc.integer({ min: 1, max: 300 })),
      emote_only: fc.boolean(),
      followers_only: fc.option(fc.integer({ min: 0, max: 129_600 })),
      unique_chat: fc.boolean(),
    });
    fc.assert(
      fc.property(change, change, (first, second) => {
        const modes = changedModes(changedModes(defaultChatModes, first), second);
        expect(chatModesView(modes)).deep.equal({ ...second, shield_mode: false });
        expect(changedModes(modes, {})).deep.equal(modes);
      }),
    );
  });

  it("stay under shield as they were", () => {
    const base = changedModes(defaultChatModes, { slow: 5 });

    const back = changedModes(changedModes(base, { shield_mode: true }), { shield_mode: false });

    expect(back).deep.equal(base);
  });
});

describe("stream keys", () => {
  it("are never the same, long enough to guess none, and hashed the same each time", () => {
    const [one, other] = [newStreamKey(), newStreamKey()];

    expect(one).not.equal(other);
    expect(one).match(/^live_[A-Za-z0-9_-]{43}$/);
    expect(streamKeyHash(one))
      .equal(streamKeyHash(one))
      .match(/^[0-9a-f]{64}$/);
  });
});
