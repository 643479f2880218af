import { expect } from "chai";
import Type from "typebox";
import { actMessageRow } from "../../../actors/channels/act-message.ts";
import type { ActorDefinition } from "../../../actors/host/definition.ts";
import type { RoomRow } from "../../../actors/host/outbox-draft.ts";
import { draftOutbox, type OutboxRow } from "../../../actors/host/outbox-draft.ts";
import { commandsOf, exactly } from "../../../actors/host/schemas.ts";
import { streamLive } from "../../../actors/live/live-stream/view.ts";
import type { CommandParams } from "../../../contract/wire.ts";
import { replyTo } from "../../../realtime/gateway/socket/frames.ts";
import type { RoomEffects } from "../../../store/mongo/host/room-state-change.ts";
import { type CounterTypes, counterDefinition } from "./counter.ts";

const live = streamLive("s", new Date(0));
const place = { actor: "moderation:s", version: 1, n: 0 };

const saidWithTip = {
  act: { type: "tip", id: "t", amount_cents: 500, currency: "USD" },
  author: { _id: "u", username: "u" },
  roomId: 1,
  content: "Well played!",
  at: new Date(0),
} as const;

describe("events by name", () => {
  it("have the data that the contract gives them", () => {
    const outbox = draftOutbox("live-stream:s", 1, new Date(0));

    outbox.room("s", "stream.live", live);
    outbox.user("u", "prediction.result", { prediction_id: "p", outcome_id: "a", amount: 5, payout: 0 });

    expect(outbox.rows.map(({ type, target, data }) => ({ type, target, data }))).deep.equal([
      { type: "stream.live", target: { room: "s" }, data: live },
      {
        type: "prediction.result",
        target: { user: "u" },
        data: { prediction_id: "p", outcome_id: "a", amount: 5, payout: 0 },
      },
    ]);
  });

  it("of another name, or with other data, don't compile", () => {
    // What is here is refused by the compiler; while it runs, names are just names.
    const outbox = draftOutbox("live-stream:s", 1, new Date(0));
    // @ts-expect-error there is no such event
    outbox.room("s", "stream.started", live);
    // @ts-expect-error another event's data
    outbox.room("s", "stream.offline", live);
    // @ts-expect-error data without what the document requires
    outbox.room("s", "chat.user_banned", { user_id: "u" });
    // @ts-expect-error for moderators alone, outside the log
    outbox.room("s", "mod.action", live);
    // @ts-expect-error an event of rooms, not of users
    outbox.user("u", "stream.live", live);
    // @ts-expect-error another event's data
    outbox.users("points.changed", [{ userId: "u", data: { prediction_id: "p" } }]);

    // @ts-expect-error chat.cleared says nothing but that it happened
    const event: RoomRow = { type: "chat.cleared", data: { by: "u" } };
    // @ts-expect-error a user's event has no room
    const row: OutboxRow = { ...place, target: { room: "s" }, type: "points.changed", data: {} };

    // @ts-expect-error a subscription needs its channel
    const params: CommandParams<"subscribe"> = { after: "0:0" };
    const text = actMessageRow(saidWithTip);
    const [unchecked] = text.effects;
    // @ts-expect-error an event brings one text of an act
    const twoTexts: RoomEffects = [unchecked, unchecked];
    // @ts-expect-error nor any change beside it
    const textWithChange: RoomEffects = [unchecked, { kind: "clear" }];
    // @ts-expect-error a channel's own change brings no text of an act
    const ofChannel: RoomRow = text;

    const ping = { id: 1, method: "ping", params: {} } as const;
    // @ts-expect-error another command's result
    const reply = replyTo(ping, { viewer_count: 1 });

    expect([event, row, params, reply, ...outbox.rows, twoTexts, textWithChange, ofChannel]).length(13);
  });
});

describe("a definition with schemas of other types than its machine's", () => {
  it("doesn't compile", () => {
    const own: ActorDefinition<CounterTypes> = counterDefinition();
    const { add, ...others } = own.commands;

    const definitions: ActorDefinition<CounterTypes>[] = [
      // @ts-expect-error the input's `start` is a number
      { ...own, input: exactly({ start: Type.String() }) },
      // @ts-expect-error the context has a `count`
      { ...own, context: exactly({ total: Type.Integer() }) },
      // @ts-expect-error `add` has an amount
      { ...own, commands: { ...others, ...commandsOf({ add: {} }) } },
      // @ts-expect-error a command without a schema
      { ...own, commands: { add } },
    ];

    expect(definitions).length(4);
  });
});
