import type { RaidNews } from "../../../specs/contract/wire.ts";
import type { Log } from "../../../store/log.ts";

/** What the gateway needs of raids. */
export type RaidMembership = {
  /** Open raids from a stream and towards it. */
  openAround(streamId: string): Promise<RaidNews[]>;
  membersCame(raidId: string, userIds: readonly string[], worker: string): Promise<void>;
  membersLeft(raidId: string, userIds: readonly string[], worker: string): Promise<void>;
  membersArrived(raidId: string, userIds: readonly string[]): Promise<void>;
  /** Users who have opted out. */
  optedOut(raidId: string): Promise<ReadonlySet<string>>;
};

const TICK_MS = 250;
/** Of one write. */
const MAX_AT_ONCE = 500;

type Queue = {
  /** By user: whether there is a socket in the source's room. */
  present: Map<string, boolean>;
  arrived: Set<string>;
};

/**
 * Who of this worker's sockets a raid has, written four times a second: the latest word about each user. What couldn't be
 * written is tried again until the raid is forgotten. Bounded by the users with sockets here.
 */
export function createRaidMemberWriter(deps: { raids: RaidMembership; worker: string; log: Log }) {
  const { raids, worker, log } = deps;
  const queues = new Map<string, Queue>();
  let writing: Promise<void> | null = null;

  function queueOf(raidId: string): Queue {
    const queue = queues.get(raidId) ?? { present: new Map(), arrived: new Set() };
    queues.set(raidId, queue);
    return queue;
  }

  /** A word that came meanwhile stays. */
  async function writeSome(raidId: string, { present, arrived }: Queue): Promise<void> {
    const words = [...present].slice(0, MAX_AT_ONCE);
    const usersWho = (isHere: boolean) => words.flatMap(([userId, is]) => (is === isHere ? [userId] : []));
    const [came, left] = [usersWho(true), usersWho(false)];
    if (came.length > 0) await raids.membersCame(raidId, came, worker);
    if (left.length > 0) await raids.membersLeft(raidId, left, worker);
    for (const [userId, is] of words) if (present.get(userId) === is) present.delete(userId);
    // Members first, since nobody else arrives.
    if (present.size > 0) return;
    const there = [...arrived].slice(0, MAX_AT_ONCE);
    if (there.length > 0) await raids.membersArrived(raidId, there);
    for (const userId of there) arrived.delete(userId);
  }

  async function write(): Promise<void> {
    for (const [raidId, queue] of [...queues]) {
      try {
        do await writeSome(raidId, queue);
        while (queue.present.size + queue.arrived.size > 0 && queues.get(raidId) === queue);
        if (queues.get(raidId) === queue) queues.delete(raidId);
      } catch (err) {
        log.warn({ err, raidId }, "a raid's members couldn't be written; will try again");
      }
    }
  }

  const timer = setInterval(() => {
    if (queues.size === 0) return;
    writing ??= write().finally(() => {
      writing = null;
    });
  }, TICK_MS);

  return {
    present: (raidId: string, userId: string, isHere: boolean) =>
      void queueOf(raidId).present.set(userId, isHere),
    arrived: (raidId: string, userId: string) => void queueOf(raidId).arrived.add(userId),
    forget: (raidId: string) => void queues.delete(raidId),
    async stop(): Promise<void> {
      clearInterval(timer);
      queues.clear();
      await writing;
    },
  };
}

export type RaidMemberWriter = ReturnType<typeof createRaidMemberWriter>;
