// @waits: for transactions that conflict.
import { expect } from "chai";
import Type from "typebox";
import { setup } from "xstate";
import type { ActorDefinition } from "../../../actors/host/definition.ts";
import { type EffectsOf, eachOf, effect } from "../../../actors/host/effect.ts";
import { createHost, type Host } from "../../../actors/host/host.ts";
import { commandsOf, exactly } from "../../../actors/host/schemas.ts";
import { newId } from "../../../base/ids.ts";
import { createTimerSweeper } from "../../../jobs/host/timers/sweeper.ts";
import { historyIn } from "../../../store/mongo/host/history.ts";
import { timersIn } from "../../../store/mongo/host/timers.ts";
import { openWorld, type World } from "./world.ts";

const effects = { take: effect<{ seat: string }>(), ask: effect<{ guest: string; seat: string }>() };

type Guest = {
  command: { type: "sit"; seat: string } | { type: "ask"; guest: string; seat: string };
  event: Guest["command"] & { at: number };
  context: Record<string, never>;
  input: Record<string, never>;
  effects: EffectsOf<typeof effects>;
  reads: Record<string, never>;
  answer: string;
};

/** A guest takes seats, as many as there are, and asks others to take one. */
const machine = setup({
  types: {} as { context: Guest["context"]; input: Guest["input"]; events: Guest["event"] },
  actions: {
    ...effects,
  },
}).createMachine({
  id: "guest",
  initial: "here",
  context: {},
  states: {
    here: {
      on: {
        sit: { actions: { type: "take", params: ({ event }) => ({ seat: event.seat }) } },
        ask: {
          actions: { type: "ask", params: ({ event }) => ({ guest: event.guest, seat: event.seat }) },
        },
      },
    },
  },
});

type SeatDoc = { _id: string; seat: string };

const text = Type.String();

/** `isNamed` false: the definition names no refusal for a seat that is taken. */
function guestDefinition({ mongo }: World, { isNamed = true } = {}): ActorDefinition<Guest> {
  const seats = mongo.db.collection<SeatDoc>("spec_seats");
  return {
    name: "guest",
    version: 1,
    machine,
    context: exactly({}),
    input: exactly({}),
    commands: commandsOf({
      sit: { seat: text },
      ask: { guest: text, seat: text },
    }),
    prepare: async () => ({}),
    ...(isNamed ? { unique: { "spec_seats.one_guest_a_seat": { code: "prediction_open" as const } } } : {}),
    effects: {
      take: {
        async write(batches, session) {
          const docs = eachOf(batches).map(([{ params }, { id }]) => ({
            _id: `${id}:${params.seat}`,
            seat: params.seat,
          }));
          await seats.insertMany(docs, { session });
        },
      },
      ask: {
        write(batches) {
          for (const [{ params }, { outbox }] of eachOf(batches)) {
            const command = { type: "sit", seat: params.seat };
            outbox.send("guest", params.guest, command, { by: "requested" });
          }
        },
      },
    },
    answer: ({ path }) => path,
  };
}

describe("a violated unique index", () => {
  let world: World;
  before(async () => {
    world = await openWorld();
    const seats = world.mongo.db.collection("spec_seats");
    await seats.createIndex({ seat: 1 }, { unique: true, name: "one_guest_a_seat" });
  });
  after(() => world.close());

  const sit = (host: Host, definition: ActorDefinition<Guest>, id: string, seat: string) =>
    host.ask(definition, id, { type: "sit", seat }, { by: null });
  const ok = { ok: true, answer: "here" };
  const taken = { ok: false, refusal: { code: "prediction_open" } };
  const seatsOf = async (id: string) => {
    const docs = await world.mongo.db
      .collection<SeatDoc>("spec_seats")
      .find({ _id: { $regex: `^${id}:` } })
      .sort({ _id: 1 })
      .toArray();
    return docs.map(({ seat }) => seat);
  };

  async function guests(count: number, definition = guestDefinition(world)) {
    const host = createHost({ ...world.deps, outbox: world.outbox, machines: [definition] });
    const ids = Array.from({ length: count }, newId);
    await Promise.all(ids.map((id) => host.create(definition, id, {}, { by: null })));
    return { host, definition, ids, sit: (id: string, seat: string) => sit(host, definition, id, seat) };
  }

  it("is the refusal that the definition names; the rest of the batch happens", async () => {
    const [a, b, c] = [newId(), newId(), newId()];
    const { ids, sit } = await guests(2);
    const [first = "", second = ""] = ids;
    expect(await sit(first, b)).deep.equal(ok);

    const replies = await Promise.all([sit(second, a), sit(second, b), sit(second, c)]);

    expect(replies).deep.equal([ok, taken, ok]);
    expect(await seatsOf(second)).deep.equal([a, c].sort());
  });

  it("is so in a shared transaction too, and all the others happen", async () => {
    const MANY = 60;
    const [wanted, ...seats] = Array.from({ length: MANY }, newId);
    const { host, ids, sit } = await guests(MANY + 1);
    const [holder = "", ...others] = ids;
    await sit(holder, wanted ?? "");

    const replies = await Promise.all(
      others.map((id, i) => sit(id, (i === 40 ? wanted : seats[i]) ?? newId())),
    );

    expect(replies.map((reply) => reply.ok)).deep.equal(others.map((_id, i) => i !== 40));
    expect(replies[40]).deep.equal(taken);
    await host.stop();
  });

  it("is a race where the definition doesn't name it: it is prepared again until the time is over", async function () {
    this.timeout(60_000);
    const seat = newId();
    const { ids, sit } = await guests(2, guestDefinition(world, { isNamed: false }));
    const [first = "", second = ""] = ids;
    await sit(first, seat);

    const refused = await sit(second, seat).catch((err: unknown) => err);

    expect(refused).property("code").equal("unavailable");
  });

  it("refuses a message like any other refusal: it goes, is logged and kept in the history", async () => {
    const seat = newId();
    const { host, definition, ids, sit } = await guests(2);
    const [first = "", second = ""] = ids;
    await sit(first, seat);

    await host.ask(definition, first, { type: "ask", guest: second, seat }, { by: null });
    await host.idle();
    const { mongo, clock, deps } = world;
    await createTimerSweeper({ host, mongo, clock, log: deps.log }).tick();

    expect(await timersIn(mongo.db).ofActor(`guest:${second}`)).deep.equal([]);
    const history = mongo.db.collection("history");
    expect(await history.countDocuments({ actor: `guest:${second}`, refused: "prediction_open" })).equal(1);
    expect((await historyIn(mongo.db).page(`guest:${second}`, { skip: 0, limit: 10 })).total).equal(1);
  });
});
