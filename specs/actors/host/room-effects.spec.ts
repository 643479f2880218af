import { expect } from "chai";
import Type from "typebox";
import { setup } from "xstate";
import { changeRoom } from "../../../actors/channels/room-changes.ts";
import { changeOf } from "../../../actors/chat/moderation/moderation-log.ts";
import type { ActorDefinition } from "../../../actors/host/definition.ts";
import { type EffectsOf, eachOf, effect } from "../../../actors/host/effect.ts";
import { createHost } from "../../../actors/host/host.ts";
import { commandsOf, exactly } from "../../../actors/host/schemas.ts";
import { newId } from "../../../base/ids.ts";
import { streamsIn } from "../../../store/mongo/channels/streams.ts";
import { moderationActionsIn } from "../../../store/mongo/chat/moderation-actions.ts";
import { eventually } from "../../support/eventually.ts";
import { openWorld, type World } from "./world.ts";

const effects = { raiseShield: effect<{ by: string }>() };

type Siren = {
  command: { type: "sound"; by: string };
  event: Siren["command"] & { at: number };
  context: { streamId: string };
  input: { streamId: string };
  effects: EffectsOf<typeof effects>;
  reads: Record<string, never>;
  answer: number;
};

const machine = setup({
  types: {} as { context: Siren["context"]; input: Siren["input"]; events: Siren["event"] },
  actions: effects,
}).createMachine({
  id: "siren",
  initial: "quiet",
  context: ({ input: { streamId } }) => ({ streamId }),
  states: {
    quiet: {
      on: { sound: { actions: { type: "raiseShield", params: ({ event: { by } }) => ({ by }) } } },
    },
  },
});

describe("an actor whose effect changes a room", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
  });
  after(() => world.close());

  /** Its shield goes up when it sounds; `mayWrite` false fails the commit after all is written. */
  function sirenDefinition(mayWrite: () => boolean): ActorDefinition<Siren> {
    const { db } = world.mongo;
    const streams = streamsIn(db);
    const actions = moderationActionsIn(db);
    return {
      name: "siren",
      version: 1,
      machine,
      context: exactly({ streamId: Type.String() }),
      input: exactly({ streamId: Type.String() }),
      commands: commandsOf({ sound: { by: Type.String() } }),
      prepare: async () => ({}),
      decide: (command, { at, happenedAt }) => {
        happenedTimes.push(happenedAt.getTime());
        return { ok: true, event: { ...command, at: at.getTime() } };
      },
      effects: {
        raiseShield: {
          async write(batches, session) {
            for (const [{ params, after }, { outbox, now }] of eachOf(batches)) {
              const { streamId } = after.context;
              const changed = await changeRoom({ streamId, streams, session }, (stream) => {
                const modes = { ...stream.modes, shieldMode: true };
                const entry = {
                  _id: newId(),
                  streamId,
                  roomId: stream.roomId,
                  actorId: params.by,
                  targetId: null,
                  action: "shield_on" as const,
                  reason: null,
                  durationSeconds: null,
                  createdAt: now,
                };
                const act = { log: [entry], effects: [{ kind: "modes" as const, modes }], modes };
                return changeOf({ actions, usersByIds: async () => new Map() }, act, session);
              });
              outbox.include(changed.rows);
              outbox.room(streamId, "chat.cleared", {});
            }
            if (!mayWrite()) throw new Error("the commit fails");
          },
        },
      },
      answer: ({ at }) => at.getTime(),
    };
  }

  const happenedTimes: number[] = [];

  async function siren(mayWrite = () => true) {
    const definition = sirenDefinition(mayWrite);
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    const { _id: streamId } = await world.stream();
    const id = newId();
    await host.create(definition, id, { streamId }, { by: null });
    return {
      host,
      id,
      streamId,
      sound: (happenedAt?: Date) =>
        host.ask(
          definition,
          id,
          { type: "sound", by: newId() },
          { by: null, ...(happenedAt ? { happenedAt } : {}) },
        ),
      stream: async () => streamsIn(world.mongo.db).find(streamId),
      acts: () => world.mongo.db.collection("moderation_actions").countDocuments({ streamId }),
      roomEvents: () => world.room.filter((event) => event.streamId === streamId),
    };
  }

  it("writes it and its log entry in the same commit, and publishes to the room at once, without the relay", async () => {
    const { sound, stream, acts, roomEvents } = await siren();

    await sound();
    await sound();

    await eventually(() => roomEvents().length === 4);
    const versions = roomEvents().flatMap(({ type, actor, effects }) =>
      type === "mod.action" ? [[actor.ref.split(":")[0], actor.version, effects?.[0]?.kind]] : [],
    );
    const [first = 0] = versions.map(([, version]) => Number(version));
    expect(versions).deep.equal([
      ["moderation", first, "modes"],
      ["moderation", first + 1, "modes"],
    ]);
    expect((await stream())?.modes.shieldMode).equal(true);
    expect(await acts()).equal(2);
    expect(await world.mongo.db.collection("outbox").countDocuments({ parkedAt: null })).equal(0);
  });

  it("has done nothing when the commit fails", async () => {
    const { sound, stream, acts, roomEvents } = await siren(() => false);

    expect(await sound().catch((err: unknown) => String(err))).contain("the commit fails");

    expect([(await stream())?.modes.shieldMode, await acts(), roomEvents()]).deep.equal([false, 0, []]);
  });

  it("knows when an event happened beside when it came, and neither is taken for the other", async () => {
    const { sound } = await siren();
    const happened = new Date(world.clock.now() - 60_000);
    happenedTimes.splice(0);

    const reply = await sound(happened);
    await sound();

    expect(happenedTimes).deep.equal([happened.getTime(), world.clock.now()]);
    expect(reply).deep.include({ ok: true });
  });
});
