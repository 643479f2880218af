import { ServiceError } from "../../specs/contract/errors.ts";
import type { StreamDoc } from "../../store/mongo/streams.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import { cursorOf, parseCursor } from "../../store/room-position.ts";
import type { Operations } from "../http/bind.ts";
import { reply } from "../http/reply.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { createBotLongPolls, type RoomWaits } from "./bot-long-polls.ts";
import { RAN } from "./routes.ts";

type Deps = RouteDeps & { redis: RedisConnection; roomWaits: RoomWaits };

/** Chat for bots, by a channel's name. */
export function botRoutes({ bind }: Operations, deps: Deps): void {
  const { identity, streams, rooms, moderation } = deps;
  const { poll } = createBotLongPolls(deps);

  async function streamOf(channel: string): Promise<StreamDoc> {
    const { _id, status } = await identity.requireByUsername(channel);
    const stream = status === "active" ? await streams.findByUser(_id) : null;
    if (!stream) throw new ServiceError("not_found");
    return stream;
  }

  bind("listBotMessages", async ({ caller, query, signal }) => {
    const { channel, after, limit = 50, wait = 0 } = query;
    const { messages, cursor } = await poll({
      streamId: (await streamOf(channel))._id,
      userId: caller.userId,
      tokenId: caller.sessionId,
      after: after === undefined ? null : parseCursor(after),
      limit,
      waitMs: wait * 1_000,
      signal,
    });
    return { items: messages, cursor: cursorOf(cursor) };
  });

  bind("sendBotMessage", async ({ caller, body, origin, arrivedAt }) => {
    const { _id: streamId } = await streamOf(body.channel);
    const moderating = { streamId, by: caller.userId, origin };
    if (await moderation.ranAsCommand(moderating, body.message, caller.grant)) return RAN;
    const outcome = await rooms.send({
      streamId,
      sender: caller,
      content: body.message,
      replyToId: body.reply_to_id ?? null,
      nonce: body.nonce ?? null,
      arrivedAt,
    });
    if (outcome.ok) return outcome.message;
    if (outcome.code !== "held") throw ServiceError.of(outcome);
    return reply({ status: 202, body: { held: true as const, id: outcome.id } });
  });
}
