import { cursorOf, parseCursor } from "../../base/room-position.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { RedisConnection } from "../../store/redis/nodes.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { createBotLongPolls, type RoomWaits } from "./bot-long-polls.ts";
import { RAN_AS_COMMAND, sentAnswer } from "./sent-answer.ts";

type Deps = RouteDeps & { redis: RedisConnection; roomWaits: RoomWaits };

/** Chat for bots, by a channel's name. */
export function botRoutes({ bind }: Operations, deps: Deps): void {
  const { directory, streams, rooms, moderation } = deps;
  const { poll } = createBotLongPolls(deps);

  async function streamOf(channel: string): Promise<StreamDoc> {
    const { _id, status } = await directory.requireByUsername(channel);
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
    const moderating = { streamId, by: caller.userId, origin, nonce: body.nonce ?? null };
    const [content, path] = [body.message, "/body/message"];
    if (await moderation.ranAsCommand(moderating, { text: content, path }, caller.grant))
      return RAN_AS_COMMAND;
    const outcome = await rooms.send({
      streamId,
      sender: caller,
      content,
      contentPath: path,
      replyToId: body.reply_to_id ?? null,
      nonce: body.nonce ?? null,
      arrivedAt,
    });
    return sentAnswer(outcome);
  });
}
