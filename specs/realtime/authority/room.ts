import { keys } from "../../../store/redis/keys.ts";
import { atOnce } from "../../stress/at-once.ts";
import { eventually } from "../../support/eventually.ts";
import type { Channel, Given, Person } from "../../support/given-channels.ts";
import type { Stores } from "../../support/stores.ts";
import { now } from "../wire/clock.ts";
import { RoomReader } from "../wire/room-reader.ts";
import { SendingSocket } from "./sending-socket.ts";

/** Event times kept per socket: more than the events between an act and its check. */
const KEPT = 512;

export type Room = Channel & {
  given: Given;
  streamId: string;
  crowd: readonly { reader: RoomReader; times: Float64Array }[];
  /** Reads all messages completely. */
  witness: RoomReader;
  /** The room's last sequence number, according to its current log. */
  head(): Promise<number>;
  /** When each socket of the crowd received an event, ms; incomplete while some haven't. */
  shownAt(seq: number): number[];
  socketsOf(person: Person, count: number): Promise<SendingSocket[]>;
  close(): void;
};

/** A room in slow mode, with a crowd of anonymous sockets that record when they receive each event. */
export async function openRoom(options: {
  given: Given;
  stores: Stores;
  port: number;
  sockets: number;
}): Promise<Room> {
  const { given, stores, port, sockets } = options;
  const channel = await given.channel();
  await channel.owner.api.ok("updateChatSettings", { params: channel.at, body: { slow: 120 } });
  const streamId = channel.stream.id;
  const witness = new RoomReader({ port, streamId, keepsAll: true });
  const crowd = await atOnce(50, [...Array(sockets).keys()], async () => {
    const reader = new RoomReader({ port, streamId });
    const times = new Float64Array(KEPT);
    reader.onSeq = (seq) => {
      times[seq % KEPT] = now();
    };
    await eventually(() => reader.isSubscribed, { withinMs: 20_000 });
    return { reader, times };
  });
  await eventually(() => witness.isSubscribed);
  return {
    ...channel,
    given,
    streamId,
    crowd,
    witness,
    head: async () => Number(await stores.redis.hget(keys.roomState(streamId), "seq")),
    shownAt: (seq) =>
      crowd.flatMap(({ reader, times }) => ((reader.seq ?? 0) >= seq ? [times[seq % KEPT] ?? 0] : [])),
    async socketsOf(person, count) {
      const opened = await Promise.all(
        Array.from({ length: count }, async () => {
          const { ticket } = await person.api.ok("createWsTicket");
          return new SendingSocket({ port, streamId, ticket });
        }),
      );
      await eventually(() => opened.every(({ isLive }) => isLive));
      return opened;
    },
    close() {
      for (const { socket } of [...crowd.map(({ reader }) => reader), witness]) socket.cut();
    },
  };
}
