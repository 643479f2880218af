import { expect } from "chai";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

describe("chat settings", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("change what is given, say where it was saved, and are the modes at once", async () => {
    const { owner, at } = await given.channel();

    const result = await owner.api.ok("updateChatSettings", {
      params: at,
      body: { slow: 45, followers_only: 0, emote_only: true },
    });

    expect(result).include({
      success: true,
      saved_to_db: true,
      saved_to_redis: true,
      broadcast_sent: true,
      connections: 0,
    });
    expect(await world.api.ok("getChatModes", { params: at })).deep.equal({
      chat_enabled: true,
      slow: 45,
      emote_only: true,
      followers_only: 0,
      unique_chat: false,
      shield_mode: false,
    });
    expect(await world.api.ok("getStream", { params: at })).include({
      chat_slow_mode: true,
      chat_slow_mode_seconds: 45,
      is_chat_followers_only: true,
      chat_followers_only_minutes: 0,
      chat_emote_only: true,
    });
  });

  it("notify the room of a change alone", async () => {
    const { owner, at } = await given.channel();
    const set = () => owner.api.ok("updateChatSettings", { params: at, body: { slow: 45 } });

    expect([(await set()).broadcast_sent, await set()]).deep.equal([
      true,
      {
        success: true,
        message: "Chat settings saved.",
        saved_to_db: true,
        saved_to_redis: true,
        broadcast_sent: false,
        connections: 0,
      },
    ]);
  });

  it("are published to the room each, as the modes that are in force then", async () => {
    const { owner, at } = await given.channel();
    const socket = new Socket(`${world.socketUrl}/v1/ws/chat/${at.stream_id}`);
    await socket.next("subscribed");
    const modes = {
      chat_enabled: true,
      slow: null,
      emote_only: false,
      followers_only: null,
      unique_chat: false,
      shield_mode: false,
    };
    const shield = { shield_mode: true, slow: 10, followers_only: 10, unique_chat: true };
    const steps: [change: object, changed: object][] = [
      [{ slow: 45 }, { slow: 45 }],
      [{ slow: null }, {}],
      [{ followers_only: 0 }, { followers_only: 0 }],
      [{ followers_only: null }, {}],
      [{ emote_only: true }, { emote_only: true }],
      [{ emote_only: false }, {}],
      [{ unique_chat: true }, { unique_chat: true }],
      [{ unique_chat: false }, {}],
      [{ chat_enabled: false }, { chat_enabled: false }],
      [{ chat_enabled: true }, {}],
      [{ shield_mode: true }, shield],
      [{ shield_mode: false }, {}],
    ];
    try {
      for (const [body] of steps) {
        await owner.api.ok("updateChatSettings", { params: at, body });
        // One that changes nothing is published to nobody.
        await owner.api.ok("updateChatSettings", { params: at, body });
      }
      await eventually(() => expect(socket.ofType("chat.modes")).lengthOf.at.least(steps.length));

      const published = socket.ofType("chat.modes").map(({ data }) => data);
      expect(published).deep.equal(steps.map(([, changed]) => ({ ...modes, ...changed })));
      expect(socket.problems).deep.equal([]);
    } finally {
      socket.terminate();
    }
  });

  it("stay as they are under shield, while the modes in force are stricter", async () => {
    const { owner, at } = await given.channel();
    const set = (body: object) => owner.api.ok("updateChatSettings", { params: at, body });
    await set({ slow: 3 });

    await set({ shield_mode: true });
    expect(await world.api.ok("getChatModes", { params: at })).include({
      slow: 10,
      followers_only: 10,
      unique_chat: true,
      shield_mode: true,
    });
    expect(await world.api.ok("getStream", { params: at })).include({
      chat_slow_mode_seconds: 3,
      is_chat_followers_only: false,
      chat_shield_mode: true,
    });

    await set({ shield_mode: false });
    expect(await owner.api.ok("getChatModes", { params: at })).include({ slow: 3, followers_only: null });
  });

  it("lose no change when several are made at once", async () => {
    const { owner, at } = await given.channel();
    const changes = [{ slow: 20 }, { emote_only: true }, { followers_only: 5 }, { unique_chat: true }];

    await Promise.all(changes.map((body) => owner.api.ok("updateChatSettings", { params: at, body })));

    const expected = { slow: 20, emote_only: true, followers_only: 5, unique_chat: true };
    expect(await world.api.ok("getChatModes", { params: at })).include(expected);
    const { modes } = await world.core.rooms.memberState(at.stream_id, null);
    expect(modes).include({ slow: 20, emote: true, followers: 5, unique: true });
  });

  it("are logged, each switch that moved once", async () => {
    const { owner, at } = await given.channel();
    const set = (body: object) => owner.api.ok("updateChatSettings", { params: at, body });

    await set({ slow: 20, emote_only: true });
    await set({ slow: 20, emote_only: true });
    await set({ slow: null, chat_enabled: false });

    const log = await moderationActionsIn(world.core.mongo.db).ofStream(at.stream_id, 0, 10);
    expect(log.map(({ action }) => action)).have.members([
      "slow_on",
      "emote_only_on",
      "slow_off",
      "chat_off",
    ]);
    for (const entry of log) expect(entry).include({ actorId: owner.id, targetId: null });
  });

  it("are refused out of their range, and to those who don't moderate", async () => {
    const { owner, at } = await given.channel();
    const stranger = await given.user();
    const bodies = [{}, { slow: 0 }, { slow: 301 }, { followers_only: -1 }, { slow: "10" }, { fast: true }];

    for (const body of bodies) {
      const answer = await owner.api.call("updateChatSettings", { params: at, body });
      expect([answer.status, answer.code], JSON.stringify(body)).deep.equal([400, "validation_failed"]);
    }
    const foreign = await stranger.api.call("updateChatSettings", { params: at, body: { slow: 5 } });
    expect([foreign.status, foreign.code]).deep.equal([403, "forbidden"]);
    expect(await world.api.ok("getChatModes", { params: at })).include({ slow: null });
  });
});
