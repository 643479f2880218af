import { newId } from "../../../../base/ids.ts";
import { chatBansIn } from "../../../../store/mongo/chat/chat-bans.ts";
import type { World } from "../../host/world.ts";

/** Bans a user, or somebody new, from that room. */
export async function bannedIn(
  { mongo, clock }: Pick<World, "mongo" | "clock">,
  streamId: string,
  userId = newId(),
): Promise<string> {
  const ban = { streamId, userId, until: null, reason: "Insults", by: newId() };
  await chatBansIn(mongo.db).setBan({ ...ban, createdAt: new Date(clock.now()) });
  return userId;
}
