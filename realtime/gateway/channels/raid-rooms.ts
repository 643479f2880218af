import type { Raid, RaidUpdate } from "../../../contract/wire.ts";
import { RAID_ARRIVAL_MS, RAID_COUNTDOWN_MS } from "../../../store/mongo/raids/raids.ts";
import type { ChatMember, ChatMembers } from "./chat-members.ts";
import type { RaidMemberWriter } from "./raid-member-writer.ts";

const SLOW_TIMERS_MS = 90_000;
/** From a raid's beginning until nobody can arrive any more, with a margin for slow timers. */
const KEPT_MS = RAID_COUNTDOWN_MS + RAID_ARRIVAL_MS + SLOW_TIMERS_MS;
/** Sockets that entered the target's room up to this long before the raid's event count as arrived. */
const EARLY_MS = 5_000;
const SWEEP_MS = 10_000;

type Leaving = {
  raidId: string;
  isPending: boolean;
  /** Its `raid.go` has come: the subscriptions that follow raids are moved once. */
  hasGone: boolean;
  /** Sockets of each signed-in user on this worker, as long as the raid is pending. */
  sockets: Map<string, number>;
  /** By performance.now(), like all times here: the times in raids are from another process's clock. */
  until: number;
};

/**
 * The raids of rooms in which this worker has sockets, known from the rooms' events and from the initial state of
 * subscriptions. While a raid is pending, the signed-in users in its source's room are its members; once it has gone, those
 * who open its target's chat arrive. The raid itself decides whether they are members, and in time.
 */
export function createRaidRooms(deps: {
  members: Pick<ChatMembers, "in">;
  writer: RaidMemberWriter;
  /** Called once when a raid has gone, to move the subscriptions that follow raids. */
  onGo(raid: Raid): void;
}) {
  const { members, writer, onGo } = deps;
  const leaving = new Map<string, Leaving>();
  /** By target and raid: until when users may arrive. */
  const coming = new Map<string, Map<string, number>>();

  function count({ raidId, sockets }: Leaving, userId: string, change: 1 | -1): void {
    const before = sockets.get(userId) ?? 0;
    const after = before + change;
    if (after > 0) sockets.set(userId, after);
    else sockets.delete(userId);
    if (before === 0 || after === 0) writer.present(raidId, userId, after > 0);
  }

  /** The entry of the raid that leaves its source's room; created if it is new. */
  function entryOf({ id: raidId, source_stream_id: streamId }: Raid): Leaving {
    const before = leaving.get(streamId);
    if (before?.raidId === raidId) return before;
    const until = performance.now() + KEPT_MS;
    const begun = { raidId, isPending: true, hasGone: false, sockets: new Map<string, number>(), until };
    leaving.set(streamId, begun);
    return begun;
  }

  function begin(raid: Raid): void {
    if (leaving.get(raid.source_stream_id)?.raidId === raid.id) return;
    const begun = entryOf(raid);
    for (const { connection } of members.in(raid.source_stream_id))
      if (connection.member) count(begun, connection.member.userId, 1);
  }

  /** Ends the counting: the members are those of this moment. */
  function close(raid: Raid): Leaving {
    const closed = entryOf(raid);
    closed.isPending = false;
    closed.sockets.clear();
    return closed;
  }

  function go(raid: Raid): void {
    const gone = close(raid);
    if (gone.hasGone) return;
    gone.hasGone = true;
    onGo(raid);
  }

  function arrive(streamId: string, { connection }: ChatMember): void {
    if (!connection.member) return;
    for (const [raidId, until] of coming.get(streamId) ?? [])
      if (performance.now() < until) writer.arrived(raidId, connection.member.userId);
  }

  function expectArrivals({ id, target_stream_id: streamId }: Raid): void {
    const raids = coming.get(streamId) ?? new Map<string, number>();
    if (raids.has(id)) return;
    coming.set(streamId, raids.set(id, performance.now() + RAID_ARRIVAL_MS));
    const since = performance.now() - EARLY_MS;
    for (const member of members.in(streamId))
      if (member.since >= since && member.connection.member)
        writer.arrived(id, member.connection.member.userId);
  }

  const timer = setInterval(() => {
    const now = performance.now();
    for (const [streamId, { raidId, until }] of leaving) {
      if (until > now) continue;
      leaving.delete(streamId);
      writer.forget(raidId);
    }
    for (const [streamId, raids] of coming) {
      for (const [raidId, until] of raids) if (until <= now) raids.delete(raidId);
      if (raids.size === 0) coming.delete(streamId);
    }
  }, SWEEP_MS);

  return {
    receive(streamId: string, type: string, data: unknown): void {
      const raid = raidIn(data);
      if (!raid) return;
      const isSource = raid.source_stream_id === streamId;
      if (type === "raid.incoming") expectArrivals(raid);
      if (type === "raid.pending" && isSource) begin(raid);
      if (type === "raid.cancelled" && isSource) close(raid);
      if (type === "raid.go" && isSource) go(raid);
    },
    /** Takes in the raids of a subscription's initial state. */
    note(streamId: string, news: readonly RaidUpdate[] | undefined): void {
      for (const { raid } of news ?? []) {
        const isPending = raid.status === "pending";
        if (raid.source_stream_id === streamId) isPending ? begin(raid) : close(raid);
        else if (!isPending) expectArrivals(raid);
      }
    },
    entered(streamId: string, member: ChatMember): void {
      const raid = leaving.get(streamId);
      if (raid?.isPending && member.connection.member) count(raid, member.connection.member.userId, 1);
      arrive(streamId, member);
    },
    left(streamId: string, { connection }: ChatMember): void {
      const raid = leaving.get(streamId);
      if (raid?.isPending && connection.member) count(raid, connection.member.userId, -1);
    },
    stop: () => clearInterval(timer),
  };
}

export type RaidRooms = ReturnType<typeof createRaidRooms>;

/** Null for data of another shape, such as events of a newer release. */
function raidIn(data: unknown): Raid | null {
  const raid = typeof data === "object" && data !== null && "raid" in data ? data.raid : null;
  return isRaid(raid) ? raid : null;
}

const isRaid = (raid: unknown): raid is Raid =>
  typeof raid === "object" &&
  raid !== null &&
  ["id", "source_stream_id", "target_stream_id", "status"].every(
    (name) => typeof Object.getOwnPropertyDescriptor(raid, name)?.value === "string",
  );
