import { type Api, createApi } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { type Channel, type Given, givenChannels, type Person } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";
import { atOnce } from "../at-once.ts";
import { seededRandom } from "../seed.ts";
import { byRest, bySocket, MessageLoad, type Speaker } from "./message-load.ts";
import { RoomRecord } from "./room-record.ts";
import { judge, type Verdict } from "./verdict.ts";
import { Watcher, type WatcherOptions } from "./watcher.ts";

type LoadOptions = {
  service: Service;
  seed: number;
  rooms: number;
  /** Number of watching clients, distributed evenly over the rooms. */
  clients: number;
  perSecond: number;
  /** Decides for each new channel whether it becomes a room; by default every one does. */
  wants?: (streamId: string) => boolean;
};

export type Room = { channel: Channel; record: RoomRecord; people: Person[]; watchers: Watcher[] };

type Entering = Pick<WatcherOptions, "ticket" | "onMessage">;

/** Messages per second and speaker: privileged speakers may send 100 messages in 30 s; this is half of that. */
const PER_SPEAKER = 1.6;
const CONNECTING_AT_ONCE = 100;
const REGISTERING_AT_ONCE = 4;
const PUBLIC_EVERY = 4;

/**
 * Rooms of a running service with watchers: every fourth one connects through the public port, the others through the realtime
 * port, where a proxy would route them. Owners and moderators speak, alternately by socket and by REST. The caller closes it.
 */
export async function openLoadScenario({ service, seed, rooms, clients, perSecond, wants }: LoadOptions) {
  const random = seededRandom(seed);
  const api = createApi(service.http);
  const given = givenChannels({ api, clock: movableClock(), ingestKey: String(service.env.INGEST_KEYS) });
  const publicUrl = service.http.replace(/^http/, "ws");
  const realtimeUrl = `ws://127.0.0.1:${service.env.REALTIME_PORT}`;
  const all: Watcher[] = [];
  const speakers: Speaker[] = [];
  const messageLoads: MessageLoad[] = [];
  let entered = 0;

  function enter(record: RoomRecord, { ticket, onMessage }: Entering = {}): Watcher {
    const url = entered++ % PUBLIC_EVERY === 0 ? publicUrl : realtimeUrl;
    const watcher = new Watcher({
      url,
      record,
      random,
      ...(ticket ? { ticket } : {}),
      ...(onMessage ? { onMessage } : {}),
    });
    all.push(watcher);
    return watcher;
  }
  const ticketOf = (person: Person) => async () => (await person.api.ok("createWsTicket")).ticket;

  const perRoom = Math.max(2, Math.ceil(perSecond / rooms / PER_SPEAKER));
  const opened = await atOnce(REGISTERING_AT_ONCE, [...Array(rooms).keys()], () =>
    openRoom(given, perRoom, wants),
  );
  const places = Array.from({ length: clients }, (_, i) => opened[i % rooms]);
  await atOnce(CONNECTING_AT_ONCE, places, async (room) => {
    if (!room) return;
    const watcher = enter(room.record);
    room.watchers.push(watcher);
    await live([watcher]);
  });
  for (const { people, record, watchers } of opened) {
    for (const [i, person] of people.entries()) {
      if (i % 2 === 1) {
        speakers.push(byRest(person.api, record));
        continue;
      }
      const speaker = enter(record, { ticket: ticketOf(person) });
      watchers.push(speaker);
      speakers.push(bySocket(speaker));
    }
  }
  await live(all);

  return {
    given,
    random,
    rooms: opened as readonly Room[],
    watchers: all as readonly Watcher[],
    /** Adds another client. */
    enter(room: Room, entering: Entering = {}): Watcher {
      const watcher = enter(room.record, entering);
      room.watchers.push(watcher);
      return watcher;
    },
    startMessages(name?: string): MessageLoad {
      const messageLoad = new MessageLoad({
        speakers: shuffled(speakers, random),
        perSecond,
        ...(name ? { name } : {}),
      });
      messageLoads.push(messageLoad);
      return messageLoad;
    },
    /** Opens an empty room. */
    openRoom: async (): Promise<Room> => {
      const room = await openRoom(given, 2);
      opened.push(room);
      return room;
    },
    /** Resolves when every client is in its room and has received everything that any client of its room has. */
    settled: (withinMs: number) =>
      eventually(
        () => {
          const late = all.filter((one) => !one.isCaughtUp || !one.hasReached(one.record.head));
          if (late.length > 0) throw new Error(`${late.length} clients are behind: ${whereabouts(late)}`);
        },
        { withinMs },
      ),
    /** Uuids, oldest first. */
    historyOf: ({ channel, record }: Room) => historyOf(channel.owner.api, record.streamId),
    async judge(): Promise<Verdict> {
      const watched = await atOnce(REGISTERING_AT_ONCE, opened, async ({ record, watchers, channel }) => ({
        record,
        traces: watchers.map(({ trace }) => trace),
        history: await historyOf(channel.owner.api, record.streamId),
      }));
      return judge(watched);
    },
    close(): void {
      for (const watcher of all) watcher.leave();
      // Failures don't matter any more after another one, but the load must not continue.
      for (const messageLoad of messageLoads) messageLoad.stop().catch(() => undefined);
    },
  };
}

export type LoadScenario = Awaited<ReturnType<typeof openLoadScenario>>;

async function openRoom(
  given: Given,
  people: number,
  wants: (streamId: string) => boolean = () => true,
): Promise<Room> {
  let channel = await given.channel();
  while (!wants(channel.stream.id)) channel = await given.channel();
  const moderators: Person[] = [];
  for (let i = 1; i < people; i++) moderators.push(await given.moderatorOf(channel));
  const record = new RoomRecord(channel.stream.id);
  return { channel, record, people: [channel.owner, ...moderators], watchers: [] };
}

const live = (watchers: readonly Watcher[]) =>
  eventually(() => watchers.every(({ isCaughtUp }) => isCaughtUp), {
    withinMs: 30_000,
    what: "in their rooms",
  });

function whereabouts(watchers: readonly Watcher[]): string {
  return watchers
    .slice(0, 3)
    .map(
      ({ client, record: { head } }) =>
        `at ${client.position} of ${head.epoch}:${head.seq}, live: ${client.isLive}`,
    )
    .join("; ");
}

async function historyOf(api: Api, streamId: string): Promise<string[]> {
  const pages: string[][] = [];
  let before = {};
  for (;;) {
    const query = { limit: 100, ...before };
    const page = await api.ok("listChatMessages", { params: { stream_id: streamId }, query });
    pages.unshift(page.items.map(({ uuid }) => uuid));
    if (!page.has_more || page.before_cursor === null) return pages.flat();
    before = { before: page.before_cursor };
  }
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const keyed = list.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
