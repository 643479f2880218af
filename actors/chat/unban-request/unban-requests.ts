import type { ClientSession } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import {
  type UnbanRequestDoc,
  type UnbanRequestStatus,
  unbanRequestsIn,
} from "../../../store/mongo/chat/unban-requests.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Range } from "../../../store/mongo/driver/page.ts";
import { timersIn } from "../../../store/mongo/host/timers.ts";
import { type By, createActorClient } from "../../host/actor-client.ts";
import type { Host } from "../../host/host.ts";
import { defineLifecycle } from "../../host/lifecycle.ts";
import { messageTo } from "../../host/outbox-draft.ts";
import { type UnbanRequestDefinition, unbanRequestDefinition } from "./definition.ts";

type Deps = { mongo: Mongo; host: Host; definition: UnbanRequestDefinition };
type Deciding = By & { note: string | null };

/**
 * Requests of banned users to be let back into a chat. Callers check who moderates it; the actor decides everything else, and refusals
 * are thrown as ServiceErrors.
 */
function createUnbanRequests({ mongo, host, definition }: Deps) {
  const requests = unbanRequestsIn(mongo.db);
  const timers = timersIn(mongo.db);
  const actors = createActorClient(host, definition);

  const decide =
    (type: "approve" | "deny") =>
    (id: string, { by, key, note }: Deciding) =>
      actors.ask(id, { type, moderatorId: by, note }, { by, key });

  return {
    /** Throws `not_banned`, `unban_requests_disabled`, `unban_request_pending`, and `unban_request_denied` while the user has to wait. */
    async request({ stream, message, by, key }: { stream: StreamDoc; message: string } & By) {
      const { _id: streamId, userId: channelUserId } = stream;
      const input = { streamId, channelUserId, userId: by, message };
      return actors.create(newId(), input, { by, key });
    },

    /** Throws `not_found`. */
    async requireIn(streamId: string, id: string): Promise<UnbanRequestDoc> {
      const doc = await requests.find(id);
      if (doc?.streamId !== streamId) throw new ServiceError("not_found");
      return doc;
    },
    /** A room's, oldest first; `status` null: all. */
    page: (streamId: string, status: UnbanRequestStatus | null, range: Range) =>
      requests.page(streamId, status, range),
    /** A user's own, newest first; `streamId` null: in all rooms. */
    pageOfUser: (userId: string, streamId: string | null, range: Range) =>
      requests.pageOfUser(userId, streamId, range),

    /** Lifts the ban in the same commit. Throws `invalid_state` when it isn't pending any more, `not_banned`. */
    approve: decide("approve"),
    /** Throws `invalid_state` when it isn't pending any more, `not_banned`. */
    deny: decide("deny"),

    /** For whatever lifts a ban in another way, in its transaction: ends the request by a message to its actor. */
    async banLifted(streamId: string, userId: string, at: Date, session: ClientSession): Promise<void> {
      const pending = await requests.pendingOf(streamId, userId, session);
      if (!pending) return;
      const to = { machine: definition.name, id: pending._id };
      await timers.send([messageTo(to, { type: "banLifted" }, { by: null }, at)], session);
    },

    history: actors.history,
  };
}

export const unbanRequestsLifecycle = defineLifecycle({
  define: ({ db }) => unbanRequestDefinition(db),
  open: createUnbanRequests,
});
