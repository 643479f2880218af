import type { Clock } from "../../base/clock.ts";
import { isBefore, type Position } from "../../base/room-position.ts";
import { ServiceError } from "../../contract/errors.ts";
import { isGone } from "../../store/mongo/accounts/account-status.ts";
import type { Users } from "../../store/mongo/accounts/users.ts";
import type { GrantedRoles } from "../../store/mongo/channels/channel-roles.ts";
import type { Streams } from "../../store/mongo/channels/streams.ts";
import type { ChatBans } from "../../store/mongo/chat/chat-bans.ts";
import type { ChatHidden } from "../../store/mongo/chat/chat-hidden.ts";
import type { ChatMessages } from "../../store/mongo/chat/chat-messages.ts";
import type { ServerRun } from "../../store/redis/server-run.ts";
import type { LookupSlots } from "./lookup-slots.ts";
import { DELETED_REMEMBERED, type LoadingRoom, loadingRoom } from "./scripts/load-room.ts";
import { effectiveModes } from "./state/modes.ts";
import { CLOSED_MS } from "./state/state-hash.ts";

/** Page size for bans, and for everything else of which there may be many. */
const PAGE = 1_000;

/**
 * Loads a room's state from MongoDB to its Redis server. Requests of one worker that find the same room missing share one load
 * (single flight); other rooms aren't delayed, since no step of it takes long. Rooms that many miss at once are loaded some at a time.
 */
export function createRoomLoading(deps: {
  streams: Streams;
  grantedRoles: GrantedRoles;
  chatBans: ChatBans;
  archive: ChatMessages;
  hidden: Pick<ChatHidden, "reaching">;
  owners: Pick<Users, "loadStanding">;
  slots: LookupSlots;
  clock: Clock;
}) {
  const { streams, grantedRoles, chatBans, archive, hidden, owners, slots, clock } = deps;
  // Bounded by the number of waiting requests.
  const running = new Map<string, Promise<void>>();

  /** Restores what is hidden in a log that the server still has, since the server may lack recent deletions and bans. */
  async function hideIn(loading: LoadingRoom, streamId: string, cleared: Position | null): Promise<void> {
    const start = await loading.logStart();
    if (!start) return;
    for await (const page of hidden.reaching(streamId, start, PAGE)) await loading.addHidden(page);
    const shownAfter = cleared && isBefore(start, cleared) ? cleared : { ...start, seq: start.seq - 1 };
    const most = { limit: DELETED_REMEMBERED, size: PAGE };
    for await (const page of archive.deletedAfter(streamId, shownAfter, most)) await loading.addDeleted(page);
  }

  async function load(streamId: string, run: ServerRun): Promise<void> {
    const loading = loadingRoom(run.node, streamId);
    const [leastEpoch, archivedEpoch] = await Promise.all([
      loading.leastEpoch(),
      archive.newestEpoch(streamId),
    ]);
    // The stream is read first: everything up to its version of moderation actions is surely in what is read after it.
    const taken = await streams.takeEpoch(streamId, Math.max(leastEpoch, archivedEpoch + 1));
    if (!taken) throw new ServiceError("not_found");
    const { stream, epoch } = taken;
    const { chatCleared: cleared = null } = stream;
    const roles = await grantedRoles.rolesOf(streamId);
    for await (const page of chatBans.bansInForce(streamId, new Date(clock.now()), PAGE)) {
      await loading.addBans(page.map(({ userId, until }) => ({ userId, untilMs: until?.getTime() ?? 0 })));
    }
    await hideIn(loading, streamId, cleared);
    // If this is incomplete, the state is still missing, and the next request that finds that loads it again.
    const owner = await owners.loadStanding(stream.userId);
    await loading.finish(run.id, {
      closedUntilMs: isGone(owner) ? clock.now() + CLOSED_MS : null,
      modes: effectiveModes(stream.modes),
      chatVersion: stream.chatVersion,
      configVersion: stream.chatConfigVersion ?? 0,
      cleared,
      epoch,
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
    const loading = slots.run(() => load(streamId, run)).finally(() => running.delete(key));
    running.set(key, loading);
    return loading;
  };
}
