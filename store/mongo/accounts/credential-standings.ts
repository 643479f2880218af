import type { Collection } from "mongodb";
import { inOneReply } from "../driver/bulk.ts";

/** Whose a session or token is, and whether it has ended. */
type CredentialStanding = {
  _id: string;
  userId: string;
  endedAt: Date | null;
  endReason: "ended" | "banned" | "reused" | null;
};

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
