import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import { movableClock } from "../../support/clock.ts";
import type { Channel, Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

type Ask = (by: Person, channel: Channel, command: string) => Promise<string>;

describe("slash commands", function () {
  this.timeout(60_000);
  const { world, given } = setUpWorld({ clock: movableClock() });
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.terminate();
  });

  const byRest: Ask = async (by, { at }, command) => {
    const answer = await by.api.call("runChatCommand", { params: at, body: { command } });
    return answer.code ?? JSON.stringify(answer.body);
  };
  const bySocket: Ask = async (by, { at }, command) => {
    const { ticket } = await by.api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    sockets.push(socket);
    const channel = `chat:${at.stream_id}`;
    const { error, data } = Object(await socket.command("chat.command", { channel, command }));
    socket.terminate();
    return error?.code ?? JSON.stringify(data);
  };
  const actionsOf = async ({ owner, at }: Channel) =>
    (await owner.api.ok("listModerationActions", { params: at })).items.map(({ action }) => action);

  for (const [door, ask] of Object.entries({ REST: byRest, "a socket": bySocket })) {
    it(`do every act that the log has a value for, by ${door}`, async () => {
      const channel = await given.channel();
      const viewer = await given.user();
      const { uuid } = await viewer.api.ok("sendChatMessage", {
        params: channel.at,
        body: { content: "hello" },
      });
      const name = viewer.username;
      const COMMANDS = {
        delete_message: `/delete ${uuid}`,
        timeout: `/timeout ${name} 10m loud`,
        untimeout: `/untimeout ${name}`,
        ban: `/ban ${name} loud`,
        unban: `/unban @${name}`,
        mod: `/mod ${name}`,
        unmod: `/unmod ${name}`,
        vip: `/vip ${name}`,
        unvip: `/unvip ${name}`,
        slow_on: "/slow 20",
        slow_off: "/slowoff",
        emote_only_on: "/emoteonly",
        emote_only_off: "/emoteonlyoff",
        followers_only_on: "/followers 1h",
        followers_only_off: "/followersoff",
        shield_on: "/shield",
        shield_off: "/shieldoff",
        clear: "/clear",
      };

      for (const command of Object.values(COMMANDS)) {
        expect(await ask(channel.owner, channel, command), command).equal('{"success":true}');
      }

      expect((await actionsOf(channel)).reverse()).deep.equal(Object.keys(COMMANDS));
    });

    it(`ask for what their operation asks for, by ${door}`, async () => {
      const channel = await given.channel();
      const [moderator, colleague] = [await given.moderatorOf(channel), await given.moderatorOf(channel)];
      const viewer = await given.user();

      expect(await ask(viewer, channel, "/clear")).equal("forbidden");
      // Nor does somebody without a role learn what there is.
      expect(await ask(viewer, channel, "/nothing")).equal("forbidden");
      expect(await ask(moderator, channel, "/nothing")).equal("validation_failed");
      expect(await ask(moderator, channel, "/ban nobody_of_this_name")).equal("not_found");
      expect(await ask(moderator, channel, `/ban ${moderator.username}`)).equal("self_target");
      expect(await ask(moderator, channel, `/ban ${colleague.username}`)).equal("forbidden");
      expect(await ask(moderator, channel, `/ban ${channel.owner.username}`)).equal("forbidden");
      for (const command of ["mod", "unmod", "vip", "unvip"]) {
        expect(await ask(moderator, channel, `/${command} ${viewer.username}`)).equal("forbidden");
      }
      expect(await ask(moderator, channel, `/timeout ${viewer.username}`)).equal('{"success":true}');
    });

    it(`give and take no roles by a token that may only moderate, by ${door}`, async () => {
      const channel = await given.channel();
      const viewer = await given.user();
      const scopes = ["chat:moderate", "user:read"];
      const { token } = await channel.owner.api.ok("createToken", { body: { name: "a bot", scopes } });
      const bot = { ...channel.owner, api: world.api.as({ token }) };

      expect(await ask(bot, channel, `/mod ${viewer.username}`)).equal("insufficient_scope");
      expect(await ask(bot, channel, `/timeout ${viewer.username} 5`)).equal('{"success":true}');
    });
  }

  it("leave a log that shows only what was requested, newest first", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const moderator = await given.moderatorOf(channel);
    const [one, other] = [await given.user(), await given.user()];
    for (const [by, command] of [
      [owner, `/timeout ${one.username} 5 first`],
      [moderator, `/timeout ${other.username} 6 second`],
      [moderator, `/ban ${one.username}`],
      [moderator, "/uniquechat"],
    ] as const) {
      world.clock.move(1_000);
      expect(await byRest(by, channel, command)).equal('{"success":true}');
    }
    const list = async (query: Record<string, string | number>) => {
      const page = await owner.api.ok("listModerationActions", { params: at, query });
      return [page.total, ...page.items.map(({ action, target }) => `${action} ${target?.username}`)];
    };
    const [first, second] = [`timeout ${one.username}`, `timeout ${other.username}`];
    const ban = `ban ${one.username}`;

    // What the enumeration has no value for isn't shown.
    expect(await list({})).deep.equal([4, ban, second, first, `mod ${moderator.username}`]);
    expect(await list({ action: "timeout" })).deep.equal([2, second, first]);
    expect(await list({ actor: moderator.id })).deep.equal([2, ban, second]);
    expect(await list({ target: one.id })).deep.equal([2, ban, first]);
    expect(await list({ target: one.id, actor: owner.id })).deep.equal([1, first]);
    expect(await list({ page: 2, per_page: 2 })).deep.equal([4, first, `mod ${moderator.username}`]);
    const stranger = await one.api.call("listModerationActions", { params: at });
    expect(stranger.code).equal("forbidden");
  });

  it("make VIPs, whom modes leave alone", async () => {
    const channel = await given.channel();
    const { owner, at } = channel;
    const vip = await given.user();
    await owner.api.ok("addVip", { params: { ...at, user_id: vip.id } });
    await owner.api.ok("updateChatSettings", { params: at, body: { slow: 300, followers_only: 10 } });
    const refusalOf = async (content: string) =>
      (await vip.api.call("sendChatMessage", { params: at, body: { content } })).code;

    expect([await refusalOf("one"), await refusalOf("two")]).deep.equal([null, null]);
    const { items } = await world.api.ok("listVips", { params: at });
    expect(items).deep.equal([{ id: vip.id, username: vip.username }]);
    shows("auth.roles.vips");

    await owner.api.ok("removeVip", { params: { ...at, user_id: vip.id } });
    expect(await refusalOf("three")).equal("rate_limited");
    world.clock.move(2_000);
    expect(await refusalOf("four")).equal("slow_mode");
    expect((await world.api.ok("listVips", { params: at })).total).equal(0);
  });

  it("are limited to 300 a minute by user, through both doors together", async () => {
    const channel = await given.channel();
    const moderator = await given.moderatorOf(channel);
    const origin = { ip: "192.0.2.1", userAgent: null, requestId: "spec" };
    const moderating = { streamId: channel.at.stream_id, by: moderator.id, origin };
    const refused = (text: string) =>
      world.core.moderation.command(moderating, { text, path: "" }, null).then(
        () => "done",
        ({ code }: { code: string }) => code,
      );
    const codes = new Set<string>();
    for (let round = 0; round < 15; round++) {
      for (const code of await Promise.all(Array.from({ length: 20 }, () => refused("/nothing"))))
        codes.add(code);
    }
    expect([...codes]).deep.equal(["validation_failed"]);

    for (const ask of [byRest, bySocket])
      expect(await ask(moderator, channel, "/slow 20")).equal("rate_limited");
    expect(await actionsOf(channel)).not.include("slow_on");
  });
});
