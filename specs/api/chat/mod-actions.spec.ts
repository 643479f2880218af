import { expect } from "chai";
import { shows } from "../../../contract/coverage/shows.ts";
import { Socket } from "../../realtime/gateway/world.ts";
import type { OperationId } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import { setUpWorld } from "../../support/set-up-world.ts";

type Act = {
  action: string;
  target: { id: string } | null;
  reason: string | null;
  duration_seconds: number | null;
};

describe("a moderator's socket", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });
  let socket: Socket | null = null;
  afterEach(() => socket?.terminate());

  it("receives each act on the room and on the people in it, with its target", async () => {
    const { owner, at } = await given.channel();
    const viewer = await given.user();
    const { ticket } = await owner.api.ok("createWsTicket");
    const open = new Socket(`${world.socketUrl}/v1/ws/chat/${at.stream_id}?ticket=${ticket}`);
    socket = open;
    await open.next("subscribed");
    const on = (who: Person, operation: OperationId, body?: object) =>
      owner.api.ok(operation, { params: { ...at, user_id: who.id }, ...(body ? { body } : {}) });
    const set = (body: object) => owner.api.ok("updateChatSettings", { params: at, body });
    const { uuid } = await viewer.api.ok("sendChatMessage", { params: at, body: { content: "hello" } });

    await owner.api.ok("deleteChatMessage", { params: { ...at, uuid } });
    await on(viewer, "timeoutUser", { duration_seconds: 60, reason: "loud" });
    await on(viewer, "untimeoutUser");
    await on(viewer, "banUser");
    await on(viewer, "unbanUser");
    await on(viewer, "addModerator");
    await on(viewer, "removeModerator");
    await owner.api.ok("clearChat", { params: at });
    for (const body of [{ slow: 5 }, { emote_only: true }, { followers_only: 5 }, { shield_mode: true }]) {
      await set(body);
    }
    const off = [{ shield_mode: false }, { followers_only: null }, { emote_only: false }, { slow: null }];
    for (const body of off) await set(body);

    const acts = () => open.ofType("mod.action").map(({ data }) => data as Act);
    await eventually(() => acts().length >= 16);
    expect(acts().map(({ action }) => action)).deep.equal([
      ...["delete_message", "timeout", "untimeout", "ban", "unban", "mod", "unmod", "clear"],
      ...["slow_on", "emote_only_on", "followers_only_on", "shield_on"],
      ...["shield_off", "followers_only_off", "emote_only_off", "slow_off"],
    ]);
    expect(acts()[1]).deep.include({ reason: "loud", duration_seconds: 60 });
    expect(acts().map(({ target }) => target?.id ?? null)).deep.equal([
      ...Array(7).fill(viewer.id),
      ...Array(9).fill(null),
    ]);
    expect(open.problems).deep.equal([]);
    shows("absent ModerationAction.target");
  });
});
