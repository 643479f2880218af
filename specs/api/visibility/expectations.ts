import type { ErrorCode } from "../../../contract/errors.ts";
import type { Operation, Visibility } from "../../../contract/openapi-document.ts";
import type { OperationId } from "../../support/api.ts";

/** What may be true of the account that an operation names, or whose channel it names, or of the thing itself. */
export const CONDITIONS = ["banned", "deleted", "blocked", "private"] as const;
export type Condition = (typeof CONDITIONS)[number];

/** `there`: it isn't refused as missing or as blocked, whatever else it answers. */
type Expectation = "there" | ErrorCode;

/** Answers that say more than x-visibility, each with its reason. */
export const EXCEPTIONS: Partial<Record<OperationId, Partial<Record<Condition, Expectation>>>> = {
  // A raid's refusals look the same to the raider, whatever their reason.
  createRaid: { blocked: "raid_not_accepted" },
  // The answer has a refusal for each redemption.
  decideRedemptions: { banned: "there", deleted: "there" },
  // One's own list of blocks and follows doesn't show deleted accounts either.
  blockUser: { deleted: "not_found" },
  unblockUser: { deleted: "not_found" },
  unfollowUser: { deleted: "not_found" },
  // Whispers have rules of their own: the recipient's account counts, not a channel.
  listWhispers: { deleted: "not_found" },
  readWhispers: { deleted: "not_found" },
  sendWhisper: { deleted: "not_found", blocked: "blocked" },
};

/** Things that their owners can make private. */
const MAY_BE_PRIVATE = ["clip", "video"];

/** Null where the condition can't be. */
export function expectedOf(operation: Operation, condition: Condition): Expectation | null {
  const { operationId, "x-visibility": visibility, "x-access": access, "x-loads": kind } = operation;
  if (!visibility) throw new Error(`${operationId} names nothing`);
  if (condition === "private") return kind && MAY_BE_PRIVATE.includes(kind) ? "not_found" : null;
  const own = EXCEPTIONS[operationId as OperationId]?.[condition];
  if (own) return own;
  if (condition === "blocked") return access.who === "anonymous" ? null : blocked(visibility, operation);
  // Staff see it.
  if (access.who === "staff") return "there";
  return visibility.inactive === "refused" ? "not_found" : "there";
}

function blocked(visibility: Visibility, { "x-access": access }: Operation): Expectation {
  if (visibility.blocked === "allowed") return "there";
  // The role is looked at first, which a block takes back.
  const isAuthors = access.or === "author" || access.or === "author_or_staff";
  return access.channel !== undefined && !isAuthors ? "forbidden" : "blocked";
}
