import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import { newId } from "../../../base/ids.ts";
import { atOnce } from "../../stress/at-once.ts";
import type { Print } from "../../stress/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { withGateway } from "../wire/gateway-process.ts";
import { RoomReader } from "../wire/room-reader.ts";

type IdleOptions = {
  seed: number;
  sockets: number;
  /** Maximum resident memory of the worker per socket, KiB. */
  kibEach: number;
};

/**
 * Of the measured ones, how many are opened before them, to exclude what a process allocates once: with Node 24 its young generation
 * alone grows by 60 MiB.
 */
const WARM_SHARE = 0.5;

/** Idle signed-in sockets in one room cost a worker little memory. */
export async function runIdle({ sockets, kibEach }: IdleOptions, print: Print) {
  return withGateway(
    async () => ({}),
    async (gateway, world) => {
      const streamId = (await world.channel())._id;
      const readers: RoomReader[] = [];
      const enter = (count: number) =>
        atOnce(50, [...Array(count).keys()], async () => {
          const reader = new RoomReader({ port: gateway.port, streamId, ticket: newId() });
          readers.push(reader);
          await eventually(() => reader.isSubscribed, { withinMs: 20_000 });
        });
      await enter(Math.ceil(sockets * WARM_SHARE));
      await pause(500);
      gateway.collect();
      const before = (await gateway.look()).usage.rss;
      await enter(sockets);
      await pause(500);
      gateway.collect();
      const after = (await gateway.look()).usage.rss;
      for (const { socket } of readers) socket.cut();
      const figures = { sockets, kibEach: Math.round((after - before) / sockets / 102.4) / 10 };
      print(JSON.stringify(figures));
      expect(figures.kibEach, "KiB for each idle socket").most(kibEach);
      return figures;
    },
  );
}
