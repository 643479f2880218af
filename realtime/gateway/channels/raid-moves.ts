import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../../../base/log.ts";
import type { Raid } from "../../../contract/wire.ts";
import type { Feeds } from "../feed/feeds.ts";
import type { Connection } from "../socket/connection.ts";
import { newDeadline } from "../socket/deadline.ts";
import type { FanOut } from "../socket/fan-out.ts";
import { message } from "../socket/frames.ts";
import type { TimeSlicer } from "../socket/time-slicer.ts";
import type { ChatMembers } from "./chat-members.ts";
import type { RaidMembership } from "./raid-member-writer.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** Window over which the moves are spread. */
const SPREAD_MS = 1_000;
/** Concurrent moves: the worker's other work isn't queued behind all of them. */
const CONCURRENCY = 32;
/** Sockets that are checked in one slice of work. */
const SLICE_SIZE = 200;

/**
 * Moves subscriptions that follow raids from the source's room to the target's, on the same sockets:
 * 1. the target's feed is opened and held, so that those who come find it there;
 * 2. what the source's feed has buffered is sent to all, so that nobody is moved before receiving it;
 * 3. each socket is moved at a random moment within a second, later when the worker is busy: `raid.moved`, `subscribed` to
 *    the new room, nothing more of the old one.
 * A socket that can't be moved stays where it is; its client has received `raid.go`.
 */
export function createRaidMoves(deps: {
  feeds: Pick<Feeds, "join" | "leave" | "flushRoom">;
  fanOut: Pick<FanOut, "sent">;
  members: Pick<ChatMembers, "in">;
  subscriptions: Pick<Subscriptions, "subscribe" | "unsubscribe">;
  raids: Pick<RaidMembership, "optedOut">;
  slicer: TimeSlicer;
  log: Log;
}) {
  const { feeds, fanOut, members, subscriptions, raids, slicer, log } = deps;
  let isStopped = false;

  /** Returns a predicate for users who have opted out. If that can't be read, all signed-in users count as opted out. */
  const optOutsOf = (raidId: string): Promise<(userId: string) => boolean> =>
    raids.optedOut(raidId).then(
      (optedOut) => (userId) => optedOut.has(userId),
      (err: unknown) => {
        log.warn({ err, raidId }, "who has opted out couldn't be read; signed-in users go by themselves");
        return () => true;
      },
    );

  async function moversOf({ id, source_stream_id: streamId }: Raid): Promise<Connection[]> {
    const hasOptedOut = await optOutsOf(id);
    const present = [...members.in(streamId)];
    const movers: Connection[] = [];
    for (let i = 0; i < present.length; i += SLICE_SIZE)
      await slicer.run(() => {
        for (const { connection, isModerator } of present.slice(i, i + SLICE_SIZE)) {
          const { member: holder } = connection;
          const isWilling = holder === null || !hasOptedOut(holder.userId);
          if (!isModerator && isWilling && follows(connection, streamId)) movers.push(connection);
        }
      });
    return movers;
  }

  async function move(connection: Connection, raid: Raid): Promise<void> {
    const [from, to] = [`chat:${raid.source_stream_id}`, `chat:${raid.target_stream_id}`];
    if (isStopped || !follows(connection, raid.source_stream_id)) return;
    const moved = message("raid.moved", from, { raid_id: raid.id, channel: to });
    if (connection.channels.has(to)) {
      subscriptions.unsubscribe(connection, from);
      return connection.send(moved);
    }
    const target = { channel: to, after: null, followsRaids: true, first: [moved] };
    const { caughtUp } = await subscriptions.subscribe(connection, { ...target, deadline: newDeadline() });
    subscriptions.unsubscribe(connection, from);
    await caughtUp;
  }

  const failed = (err: unknown, raid: Raid) =>
    log.warn({ err, raidId: raid.id }, "a socket couldn't be moved with its raid");

  /** Runs in the lane of the room that the socket leaves, in order with its commands. Never rejects. */
  function moveInLane(connection: Connection, raid: Raid): Promise<void> {
    return new Promise((done) => {
      const work = () =>
        move(connection, raid)
          .catch((err: unknown) => failed(err, raid))
          .finally(done);
      if (!connection.inTurn(`chat:${raid.source_stream_id}`, work)) done();
    });
  }

  async function moveAll(raid: Raid): Promise<void> {
    const movers = await moversOf(raid);
    if (movers.length === 0) return;
    const feed = await feeds.join(raid.target_stream_id, newDeadline());
    feeds.flushRoom(raid.source_stream_id);
    await fanOut.sent(`chat:${raid.source_stream_id}`);
    const begun = performance.now();
    const queue = movers
      .map((connection) => ({ connection, at: begun + Math.random() * SPREAD_MS }))
      .sort((a, b) => a.at - b.at)
      .values();
    async function moveInTime(): Promise<void> {
      for (const { connection, at } of queue) {
        const early = at - performance.now();
        if (early > 0) await pause(early);
        await moveInLane(connection, raid);
      }
    }
    try {
      await Promise.all(Array.from({ length: CONCURRENCY }, moveInTime));
    } finally {
      feeds.leave(feed);
    }
  }

  return {
    begin(raid: Raid): void {
      moveAll(raid).catch((err: unknown) =>
        log.warn({ err, raidId: raid.id }, "nobody was moved with a raid; clients go by themselves"),
      );
    },
    stop(): void {
      isStopped = true;
    },
  };
}

const follows = (connection: Connection, streamId: string): boolean =>
  connection.isOpen && connection.channels.get(`chat:${streamId}`)?.followsRaids === true;
