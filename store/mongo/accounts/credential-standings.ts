import type { Collection } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";
import type { SessionDoc } from "./sessions.ts";

/** Whose a session or token is, and whether it has ended. */
type CredentialStanding = Pick<SessionDoc, "_id" | "userId" | "endedAt" | "endReason">;

/** In no particular order; ids without a document are left out. */
export async function standingsIn<Doc extends CredentialStanding>(
  credentials: Collection<Doc>,
  ids: string[],
): Promise<CredentialStanding[]> {
  if (ids.length === 0) return [];
  return credentials
    .aggregate<CredentialStanding>(
      [{ $match: { _id: { $in: ids } } }, { $project: { _id: 1, userId: 1, endedAt: 1, endReason: 1 } }],
      inOneReply(ids.length),
    )
    .toArray();
}
