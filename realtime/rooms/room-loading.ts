import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import type { ChannelPeople } from "../../store/mongo/channel-people.ts";
import type { ChatMessages } from "../../store/mongo/chat-messages.ts";
import type { Streams } from "../../store/mongo/streams.ts";
import { loadingRoom } from "../../store/redis/scripts/load-room.ts";
import type { ServerRun } from "../../store/redis/server-run.ts";
import { effectiveModes, packModes } from "./modes.ts";

/** Bans that are read and written at once. */
const PAGE = 1_000;

/**
 * Brings a room's state from MongoDB to its server. Those of a worker who find the same room missing wait for one load;
 * other rooms wait for nothing, since no step of it takes long.
 */
export function createRoomLoading(deps: {
  streams: Streams;
  people: ChannelPeople;
  archive: ChatMessages;
  clock: Clock;
}) {
  const { streams, people, archive, clock } = deps;
  // Bounded by the requests that wait for them.
  const running = new Map<string, Promise<void>>();

  async function load(streamId: string, run: ServerRun): Promise<void> {
    // The stream first: its version says which moderation acts are surely in what is read after it.
    const stream = await streams.find(streamId);
    if (!stream) throw new ServiceError("not_found");
    const { chatCleared: cleared = null } = stream;
    const [roles, archivedEpoch] = await Promise.all([
      people.rolesOf(streamId),
      archive.newestEpoch(streamId),
    ]);
    const loading = loadingRoom(run.node, streamId);
    for await (const page of people.bansInForce(streamId, new Date(clock.now()), PAGE)) {
      await loading.addBans(page.map(({ userId, until }) => ({ userId, untilMs: until?.getTime() ?? 0 })));
    }
    // An incomplete one is still missing, and loaded anew by whoever finds that.
    await loading.finish(run.id, {
      modes: packModes(effectiveModes(stream.modes)),
      chatVersion: stream.chatVersion,
      cleared,
      lastEpoch: Math.max(archivedEpoch, cleared?.epoch ?? 0),
      roles: [
        ...roles.map(({ userId, role }) => ({ userId, role })),
        { userId: stream.userId, role: "owner" },
      ],
    });
  }

  /** Throws not_found, unavailable. */
  return function loadRoom(streamId: string, run: ServerRun): Promise<void> {
    const key = `${streamId} ${run.id}`;
    const known = running.get(key);
    if (known) return known;
    const loading = load(streamId, run).finally(() => running.delete(key));
    running.set(key, loading);
    return loading;
  };
}

export type LoadRoom = ReturnType<typeof createRoomLoading>;
