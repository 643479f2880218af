import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { atOnce } from "../../stress/at-once.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { talker } from "../rooms/world.ts";
import { withGateway } from "../wire/gateway-process.ts";
import { RoomReader, stamped } from "../wire/room-reader.ts";
import { watchMemory } from "./slow-readers.ts";

type ReplaysStoppedOptions = {
  seed: number;
  /** Events to replay; several megabytes, so that the worker has to buffer them. */
  events: number;
  /** Readers that pause for `pauseMs`, and readers that don't continue before they are closed. */
  resuming: number;
  stopping: number;
  pauseMs: number;
  stalledMs: number;
  memoryMiB: number;
};

const MAX_CONTENT = 500;

/** Readers resume from far behind and stop reading in the middle: the worker waits for them with little memory. */
export async function runReplaysStopped(options: ReplaysStoppedOptions, print: Print) {
  const { events, resuming, stopping, pauseMs, stalledMs, memoryMiB } = options;
  return withGateway(
    async () => ({ limits: { stalledMs } }),
    async (gateway, world) => {
      const stream = await world.channel();
      const { epoch } = await world.rooms.position(stream._id);
      await atOnce(20, [...Array(events).keys()], () => world.say(stream, talker(), stamped(MAX_CONTENT)));
      const before = await gateway.look();
      const readers = Array.from({ length: resuming + stopping }, () => {
        const reader = new RoomReader({ port: gateway.port, streamId: stream._id, after: `${epoch}:0` });
        // As soon as the replay has begun.
        reader.onSeq = () => reader.socket.pause();
        return reader;
      });
      await eventually(() => readers.every(({ events }) => events > 0), { withinMs: 10_000 });
      const [first, last] = [readers.slice(0, resuming), readers.slice(resuming)];

      const peak = await watchMemory(gateway, () => pause(pauseMs));
      const { stats } = await gateway.look();
      expect(stats, "nobody was ended yet").include({ slowReaders: 0, sockets: readers.length });
      for (const reader of first) {
        reader.onSeq = null;
        reader.socket.resume();
      }
      const late = await world.say(stream, talker(), "live");
      await eventually(() => first.every(({ seq }) => seq === late.seq), {
        withinMs: 20_000,
        what: "those who went on have seen everything",
      });
      await eventually(async () => (await gateway.look()).stats.slowReaders === stopping, {
        withinMs: stalledMs * 3,
        what: "those who stopped are ended",
      });
      for (const reader of last) {
        reader.onSeq = null;
        reader.socket.resume();
      }
      const closings = await Promise.all(last.map(({ socket }) => socket.closed));

      const grewMiB = Math.round((peak - before.usage.rss) / 1024 / 102.4) / 10;
      const figures = {
        events,
        grewMiB,
        stoppedAt: Math.max(...last.map(({ seq }) => seq ?? 0)),
        replayReads: stats.replayReads,
        replayShared: stats.replayShared,
      };
      print(JSON.stringify(figures));
      for (const { socket } of first) socket.cut();
      expect(closings.map(({ code }) => code)).deep.equal(last.map(() => 4008));
      for (const { seq } of last) expect(seq, "it was stopped in the middle").below(events);
      for (const { missing, repeated, recovered } of readers) {
        expect({ missing, repeated, recovered }).deep.equal({ missing: 0, repeated: 0, recovered: true });
      }
      expect(grewMiB, "the worker's memory, MiB more").most(memoryMiB);
      return figures;
    },
  );
}
