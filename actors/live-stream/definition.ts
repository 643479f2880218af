import type { Db } from "mongodb";
import { broadcastsIn } from "../../store/mongo/broadcasts.ts";
import { streamsIn } from "../../store/mongo/streams.ts";
import { usersIn } from "../../store/mongo/users.ts";
import type { ActorDefinition, ActorState } from "../host/definition.ts";
import { commandSchema, exactly } from "../host/schemas.ts";
import { liveStreamEffects } from "./effects.ts";
import { LIVE_STREAM_VERSION, type LiveStreamContext, liveStreamMachine } from "./machine.ts";
import { toEvent } from "./refusals.ts";
import type { LiveStreamStatus, LiveStreamTypes } from "./types.ts";

const text = { type: "string", minLength: 1, maxLength: 128 };

export type LiveStreamDefinition = ActorDefinition<LiveStreamTypes>;

export function liveStreamDefinition(db: Db): LiveStreamDefinition {
  const streams = streamsIn(db);
  const users = usersIn(db);
  const broadcasts = broadcastsIn(db);
  return {
    name: "live-stream",
    version: LIVE_STREAM_VERSION,
    machine: liveStreamMachine,
    context: exactly({
      ownerId: text,
      clientId: { anyOf: [text, { type: "null" }] },
      sessionId: { anyOf: [text, { type: "null" }] },
      liveSince: { type: ["number", "null"] },
    }),
    migrations: {},
    commands: {
      published: commandSchema("published", { clientId: text, sessionId: text, keyHash: text }),
      publishEnded: commandSchema("publishEnded", { clientId: text }),
      keyRotated: commandSchema("keyRotated"),
      ownerBanned: commandSchema("ownerBanned"),
    },

    async prepare({ id, context, pending }) {
      const publishing = pending.some((one) => one.command?.type === "published");
      const ownerId = context?.ownerId ?? pending.find(({ input }) => input !== null)?.input?.ownerId;
      const sessionId = context?.sessionId;
      const [stream, owner, broadcast] = await Promise.all([
        publishing ? streams.find(id) : null,
        publishing && ownerId !== undefined ? users.findPublic(ownerId) : null,
        sessionId ? broadcasts.find(sessionId) : null,
      ]);
      return { stream, owner, broadcast };
    },

    // A key that is rotated and an owner who is banned meanwhile: whichever comes first, the other one knows.
    guards: ({ stream, owner }) => [
      ...(stream
        ? [{ collection: "streams", id: stream._id, has: { streamKeyHash: stream.streamKeyHash } }]
        : []),
      ...(owner ? [{ collection: "users", id: owner._id, has: { status: owner.status } }] : []),
    ],
    toEvent,
    effects: liveStreamEffects(db),
    // What is public of it are the stream's fields, which the effects set.
    save: () => Promise.resolve(),
    answer: (state) => ({ status: statusOf(state), sessionId: state.context.sessionId }),
  };
}

const STATUSES: readonly LiveStreamStatus[] = ["offline", "starting", "live", "interrupted"];

function statusOf({ status }: ActorState<LiveStreamContext>): LiveStreamStatus {
  const known = STATUSES.find((one) => one === status);
  if (!known) throw new Error(`a live stream has no status ${status}`);
  return known;
}
