import { expect } from "chai";
import { shows } from "../../../../contract/coverage/shows.ts";
import { ALL_SCOPES } from "../../../../contract/scopes.ts";
import { STARTER_CATEGORIES } from "../../../../store/mongo/schema/migrations/0004-starter-categories.ts";
import { movableClock } from "../../../support/clock.ts";
import { withKey } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

const categoryNamed = (slug: string) => STARTER_CATEGORIES.find((one) => one.slug === slug)?._id ?? "";

const FROM_THE_START = {
  is_chat_enabled: true,
  is_chat_followers_only: false,
  chat_followers_only_minutes: 0,
  chat_slow_mode: false,
  chat_slow_mode_seconds: 30,
  chat_emote_only: false,
  chat_unique_chat: false,
  chat_shield_mode: false,
  is_mature: false,
} as const;

const SECRET = ["stream_key", "server_url", "ingress_pull_url"];

describe("a channel's stream", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("shows key and ingest address to its owner alone", async () => {
    const { owner, stream, at } = await given.channel();
    const moderator = await given.moderatorOf({ owner, stream, at });

    expect(stream).include({ user_id: owner.id, name: owner.username, is_live: false });
    expect(stream).include(FROM_THE_START);
    shows("default Stream.is_chat_enabled", "default Stream.is_chat_followers_only");
    shows("default Stream.chat_followers_only_minutes", "default Stream.chat_slow_mode");
    shows("default Stream.chat_slow_mode_seconds", "default Stream.chat_emote_only");
    shows("default Stream.chat_unique_chat", "default Stream.chat_shield_mode", "default Stream.is_mature");
    expect(stream.stream_key).match(/^live_/);
    expect(stream.server_url).equal("rtmp://ingest.example/live");
    for (const api of [world.api, moderator.api, owner.api]) {
      const byId = await api.ok("getStream", { params: at });
      const byName = await api.ok("getUserStream", { params: { username: owner.username.toUpperCase() } });
      expect(byId).not.have.any.keys(...SECRET);
      expect(byName).deep.equal(byId);
    }
    shows("absent Stream.server_url", "absent Stream.stream_key", "absent Stream.ingress_pull_url");
  });

  it("keeps the stream key from personal tokens", async () => {
    const { owner, stream } = await given.channel();
    const scopes = [...ALL_SCOPES];
    const { token } = await owner.api.ok("createApiToken", { body: { name: "Bot", scopes } });

    for (const carrier of [{ authorization: `Bearer ${token}` }, { "x-api-key": token }]) {
      const bot = world.api.with(carrier);
      const read = await bot.ok("getMyStream");
      const changed = await bot.ok("updateMyStream", { body: { name: "By a bot" } });
      for (const answer of [read, changed]) {
        expect(answer).include({ id: stream.id, server_url: stream.server_url });
        expect(answer).not.have.property("stream_key");
        expect(JSON.stringify(answer)).not.include(stream.stream_key);
      }
    }
    expect(await owner.api.ok("getMyStream")).include({ stream_key: stream.stream_key });
  });

  it("changes what is given and nothing else", async () => {
    const { owner, at } = await given.channel();
    const body = {
      name: "An evening",
      category_id: categoryNamed("just-chatting"),
      language: "de",
      is_mature: true,
      tags: ["cosy", "fireside"],
      thumbnail_url: "https://images.example/a.png",
      ingress_pull_url: "https://camera.example/live",
    };

    expect(await owner.api.ok("updateMyStream", { body })).deep.include(body);
    const renamed = await owner.api.ok("updateMyStream", { body: { name: "A night" } });
    expect(renamed).deep.include({ ...body, name: "A night" });
    expect(renamed.updated_at > renamed.created_at).equal(true);

    const emptied = await owner.api.ok("updateMyStream", { body: { category_id: null, language: null } });
    expect(emptied).include({ category_id: null, language: null, is_mature: true });
    expect(await world.api.ok("getStream", { params: at })).include({ name: "A night" });
  });

  it("has addresses of at most 2,048 characters", async () => {
    const { owner } = await given.channel();
    const fields = ["ingress_pull_url", "thumbnail_url"] as const;
    for (const field of fields) {
      const longest = "https://images.example/".padEnd(2_048, "a");

      expect(await owner.api.ok("updateMyStream", { body: { [field]: longest } })).include({
        [field]: longest,
      });
      expect(await owner.api.call("updateMyStream", { body: { [field]: `${longest}a` } })).include({
        status: 400,
        code: "validation_failed",
      });
    }
  });

  it("has tags in lower case, each once", async () => {
    const { owner } = await given.channel();

    const { tags } = await owner.api.ok("updateMyStream", { body: { tags: ["Cosy", "LOUD", "cosy"] } });

    expect(tags).deep.equal(["cosy", "loud"]);
  });

  it("has a tag once that looks the same in several forms", async () => {
    const { owner } = await given.channel();
    const cafes = ["café", "cafe\u0301", " CAFÉ ", "ｃａｆé", "ca\u200bfé\u2800"];

    const { tags } = await owner.api.ok("updateMyStream", {
      body: { tags: ["İstanbul", "i̇stanbul", ...cafes, "👩‍💻"] },
    });

    expect(tags).deep.equal(["istanbul", "café", "👩‍💻"]);
  });

  it("has ten tags at most", async () => {
    const { owner } = await given.channel();
    const tags = Array.from({ length: 10 }, (_, i) => `tag${i}`);

    expect((await owner.api.ok("updateMyStream", { body: { tags } })).tags).deep.equal(tags);
    const answer = await owner.api.call("updateMyStream", { body: { tags: [...tags, "one more"] } });
    expect(answer.code).equal("validation_failed");
  });

  it("has tags that its owner can send again, and others look for, however long they are in lower case", async () => {
    const { owner } = await given.channel();

    const { tags } = await owner.api.ok("updateMyStream", {
      body: { tags: ["İ".repeat(25), "𝕏".repeat(25), "㍿".repeat(6)] },
    });

    expect((await owner.api.ok("updateMyStream", { body: { tags } })).tags).deep.equal(tags);
    for (const tag of tags) {
      expect((await world.api.call("listStreams", { query: { tag } })).status).equal(200);
    }
  });

  it("refuses a category that there isn't, and stays as it was", async () => {
    const { owner, stream } = await given.channel();

    for (const category_id of ["nothing", "01890000-0000-7000-8000-00000000ffff"]) {
      const answer = await owner.api.call("updateMyStream", { body: { category_id, name: "other" } });

      expect([answer.status, answer.code, answer.details]).deep.equal([404, "not_found", { category_id }]);
    }
    expect(await owner.api.ok("getMyStream")).deep.equal(stream);
  });

  it("refuses what a stream can't be, and stays as it was", async () => {
    const { owner, stream } = await given.channel();
    const refused = [
      {},
      { name: "" },
      { name: "n".repeat(141) },
      { name: "Live \u202enow" },
      { tags: ["a\u2066b"] },
      { tags: Array.from({ length: 11 }, (_, i) => `tag${i}`) },
      { tags: ["t".repeat(26)] },
      { tags: ["\u3164"] },
      // Four letters each.
      { tags: ["cosy", "㍿".repeat(7)] },
      { language: "german" },
      { language: "xx" },
      { is_mature: "yes" },
      { ingress_pull_url: "https://127.0.0.1/live" },
      { ingress_pull_url: "https://localhost/live" },
      { ingress_pull_url: "file:///etc/passwd" },
      { thumbnail_url: "javascript:alert(1)" },
      { stream_key: "mine" },
      { is_live: true },
      { name: { $ne: null } },
    ];

    for (const body of refused) {
      const answer = await owner.api.call("updateMyStream", { body });
      expect([answer.status, answer.code], JSON.stringify(body)).deep.equal([400, "validation_failed"]);
    }
    expect(await owner.api.ok("getMyStream")).deep.equal(stream);
    shows("streams.language");
  });

  it("gets another key, whereupon the old one is refused and its broadcast ends", async () => {
    const channel = await given.liveChannel();
    const { owner, stream, at } = channel;

    const rotated = withKey(await owner.api.ok("rotateStreamKey"));

    expect(rotated.stream_key).not.equal(stream.stream_key);
    expect(rotated.is_live).equal(false);
    expect((await world.api.ok("getStream", { params: at })).is_live).equal(false);
    expect((await given.hook("publish", { key: stream.stream_key, clientId: "2" })).code).equal(
      "stream_key_refused",
    );
    await given.goLive({ ...channel, stream: rotated }, "3");
  });

  it("is not found under other ids and names", async () => {
    const unknown = await world.api.call("getStream", { params: { stream_id: crypto.randomUUID() } });
    const malformed = await world.api.call("getStream", { params: { stream_id: "mine" } });
    const nobody = await world.api.call("getUserStream", { params: { username: "nobody_of_that_name" } });

    expect([unknown.status, malformed.status, nobody.status]).deep.equal([404, 400, 404]);
  });
});
