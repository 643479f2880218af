import { keys } from "../../../store/redis/keys.ts";
import type { Load, SendFigures } from "../load/calls.ts";
import { startLoad } from "../load-generator.ts";
import { openOurs } from "../ours.ts";
import type { Stage } from "../stage.ts";

const HERD_ROOMS = 5;
/** In one more room life goes on meanwhile. */
const CALM = 0;
const CALM_VIEWERS = 200;
const CALM_PER_SECOND = 50;
const CALM_SENDERS = 100;
const HERD_SENDERS = 500;
/** Everybody was away for about so many messages: all that were ever sent in the room. */
const MISSED = 200;
const MISSED_PER_SECOND = 400;
const AT_ONCE = 500;
const PAGE = 100;

type HerdFigures = {
  clients: number;
  cpuMsPerClient: number;
  seconds: number;
  logReads: number;
  /** Pages that one read per room and position takes. */
  leastReads: number;
  calm: { quiet: SendFigures; herd: SendFigures };
  load: Load;
  /** Replayed messages that didn't come. */
  missing: number;
};

/** 5,000 come back at once to rooms of which this worker knows nothing yet, all where they left them. */
export async function herd(stage: Stage, clients: number, calmMs: number): Promise<HerdFigures> {
  const scene = {
    rooms: 1 + HERD_ROOMS,
    viewersEach: Math.floor(clients / HERD_ROOMS),
    senders: CALM_SENDERS + HERD_SENDERS,
  };
  const served = await openOurs(stage, scene, 1);
  const { setting } = served;
  // Another process looks at the calm room, since the one that the herd comes from has its hands full.
  const calm = await startLoad({ ...setting, rooms: setting.rooms.slice(0, 1) });
  const load = await startLoad({ ...setting, rooms: setting.rooms.slice(1) });
  try {
    const senders = await served.senders();
    const calmViewers = (await served.viewers()).filter(({ room }) => room === CALM).slice(0, CALM_VIEWERS);
    await calm.connect(calmViewers, senders.slice(0, CALM_SENDERS));
    await load.connect([], senders.slice(CALM_SENDERS));
    // Nobody of the herd is there to see these.
    const ms = (MISSED * HERD_ROOMS * 1_000) / MISSED_PER_SECOND;
    await load.send({ pace: { perSecond: MISSED_PER_SECOND }, warmUpMs: 0, ms, sampleEvery: 1 });

    const calmly = { pace: { perSecond: CALM_PER_SECOND }, sampleEvery: 1 };
    const quiet = await calm.send({ ...calmly, warmUpMs: 1_000, ms: calmMs });
    const { back, missed } = await herdOf(served);
    const reads = await served.redis.calls("xrange");
    const meanwhile = calm.send({ ...calmly, warmUpMs: 200, ms: calmMs });
    const came = await load.connect(back, [], AT_ONCE);
    return {
      clients: back.length,
      cpuMsPerClient: (came.cpuMs.servers + came.cpuMs.redis) / back.length,
      seconds: came.ms / 1_000,
      calm: { quiet, herd: await meanwhile },
      logReads: (await served.redis.calls("xrange")) - reads,
      leastReads: HERD_ROOMS * Math.ceil(MISSED / PAGE),
      load: came.load,
      missing: missed - (await load.seen()),
    };
  } finally {
    await load.close();
    await calm.close();
    await served.close();
  }
}

/** The ways back, from before the first message of each room, and how many messages they all lack together. */
async function herdOf({ setting, redis, viewers }: Awaited<ReturnType<typeof openOurs>>) {
  const rooms = await Promise.all(
    setting.rooms.map(async (room) => {
      const [epoch, seq] = await redis.client.hmget(keys.roomState(room), "epoch", "seq");
      return { after: `${epoch}:0`, seq: Number(seq) };
    }),
  );
  const herd = (await viewers()).filter(({ room }) => room !== CALM);
  return {
    missed: herd.reduce((sum, { room }) => sum + (rooms[room]?.seq ?? 0), 0),
    back: herd.map(({ room, opening }) => {
      const after = new URLSearchParams({ after: rooms[room]?.after ?? "" });
      // The load generator of the herd knows its own rooms alone.
      return { room: room - 1, opening: { ...opening, path: `${opening.path}&${after}` } };
    }),
  };
}
