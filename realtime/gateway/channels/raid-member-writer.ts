import type { Log } from "../../../base/log.ts";

/** What the gateway needs from raids. */
export type RaidMembership = {
  membersCame(raidId: string, userIds: readonly string[], worker: string): Promise<void>;
  membersLeft(raidId: string, userIds: readonly string[], worker: string): Promise<void>;
  membersArrived(raidId: string, userIds: readonly string[]): Promise<void>;
  /** Users who have opted out. */
  optedOut(raidId: string): Promise<ReadonlySet<string>>;
};

const TICK_MS = 250;
/** Users per write. */
const MAX_PER_WRITE = 500;

type Queue = {
  /** By user: whether they have a socket in the source's room. */
  present: Map<string, boolean>;
  arrived: Set<string>;
};

/**
 * Writes which of this worker's users take part in a raid, four times a second: the latest state of each user. Failed
 * writes are retried until the raid is forgotten. Bounded by the users with sockets here.
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

  /** A change that came during the write stays queued. */
  async function writeSome(raidId: string, { present, arrived }: Queue): Promise<void> {
    const batch = [...present].slice(0, MAX_PER_WRITE);
    const usersWho = (isHere: boolean) => batch.flatMap(([userId, is]) => (is === isHere ? [userId] : []));
    const [came, left] = [usersWho(true), usersWho(false)];
    if (came.length > 0) await raids.membersCame(raidId, came, worker);
    if (left.length > 0) await raids.membersLeft(raidId, left, worker);
    for (const [userId, is] of batch) if (present.get(userId) === is) present.delete(userId);
    // Members first, since only members can arrive.
    if (present.size > 0) return;
    const there = [...arrived].slice(0, MAX_PER_WRITE);
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
