import type { Clock } from "../../base/clock.ts";
import { newId } from "../../base/ids.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { StreamMarker } from "../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { Range } from "../../store/mongo/driver/page.ts";
import { retryingConflicts } from "../../store/mongo/driver/retried-transaction.ts";
import { broadcastsIn } from "../../store/mongo/live/broadcasts.ts";
import { type MarkerDoc, markersIn } from "../../store/mongo/live/markers.ts";
import { type Directory, summaryOf } from "../accounts/public.ts";
import type { RoomChanges } from "../channels/public.ts";
import type { By } from "../host/actor-client.ts";
import { keyedRequestsIn } from "../host/keyed-requests.ts";
import type { RoomRow } from "../host/outbox-draft.ts";

/** Of one broadcast. */
export const MOST_MARKERS = 100;

type Deps = {
  mongo: Mongo;
  changes: RoomChanges;
  directory: Pick<Directory, "usersByIds">;
  clock: Clock;
};
type Users = ReadonlyMap<string, UserWithoutSecrets>;

/** Moments of broadcasts, marked by those who run the channel. Callers check who that is. */
export function createMarkers({ mongo, changes, directory, clock }: Deps) {
  const markers = markersIn(mongo.db);
  const broadcasts = broadcastsIn(mongo.db);
  const keyed = keyedRequestsIn(mongo.db, clock);

  /** When the broadcast began in which it was made. */
  async function beginBefore({ streamId, createdAt }: MarkerDoc): Promise<Date> {
    const broadcast = await broadcasts.lastBefore(streamId, new Date(+createdAt + 1));
    return broadcast?.startedAt ?? createdAt;
  }

  return {
    /** Throws `invalid_state` without a running broadcast, `limit_reached`, `idempotency_conflict`. */
    async add(streamId: string, description: string | null, { by, key = null }: By): Promise<StreamMarker> {
      const users = await directory.usersByIds([by]);
      const request = { by, operation: "markers.add", key, request: { streamId, description } };
      return retryingConflicts(async () => {
        const made: MarkerDoc[] = [];
        await changes.commit(streamId, async ({ userId: ownerId, liveSince: since }, session) => {
          const events: RoomRow[] = [];
          const doc = await keyed.once(request, session, {
            async act(createdAt) {
              if (since === null) throw new ServiceError("invalid_state", { status: "offline" });
              if ((await markers.countSince(streamId, since, MOST_MARKERS, session)) >= MOST_MARKERS)
                throw new ServiceError("limit_reached", { limit: MOST_MARKERS });
              const marker = { _id: newId(), streamId, ownerId, by, description, createdAt };
              await markers.insert(marker, session);
              events.push({ type: "mod.marker", data: viewOf(marker, since, users) });
              return marker;
            },
            answerOf: ({ _id }) => _id,
            again: (id) => markers.find(id, session),
          });
          made.splice(0, 1, doc);
          return { events };
        });
        const [marker] = made;
        if (!marker) throw new Error("a commit makes one");
        return viewOf(marker, await beginBefore(marker), users);
      });
    },

    /** Throws `not_found`. */
    async remove(streamId: string, id: string): Promise<void> {
      await changes.commit(streamId, async (_stream, session) => {
        if (!(await markers.remove(streamId, id, session))) throw new ServiceError("not_found");
        return { events: [{ type: "mod.marker_deleted", data: { id } }] };
      });
    },

    /**
     * Of the running broadcast, or the last one; null before the first. After its end none is made, but one may have been while the end
     * was decided.
     */
    async timesOfBroadcast(streamId: string): Promise<{ from: Date; to: Date } | null> {
      const last = await broadcasts.lastOf(streamId);
      return last && { from: last.startedAt, to: new Date(clock.now() + 1) };
    },

    /** Oldest first. */
    pageBetween: (streamId: string, times: { from: Date; to: Date }, range: Range) =>
      markers.pageBetween(streamId, times, range),

    /** Their views, with positions since `from`. */
    async viewsOf(docs: readonly MarkerDoc[], from: Date): Promise<StreamMarker[]> {
      const users = await directory.usersByIds(docs.map(({ by }) => by));
      return docs.map((doc) => viewOf(doc, from, users));
    },
  };
}

const viewOf = (
  { _id: id, description, createdAt, by }: MarkerDoc,
  from: Date,
  users: Users,
): StreamMarker => ({
  id,
  description,
  position_seconds: Math.max(0, (+createdAt - +from) / 1_000),
  created_at: createdAt.toISOString(),
  created_by: summaryOf(by, users.get(by)),
});
