import type { Operation, Visibility } from "../../../contract/openapi-document.ts";
import { VISIBILITY } from "../authorization/all-requests.ts";
import type { Condition, Expectation } from "./conditions.ts";

/** Things that their owners can make private. */
const MAY_BE_PRIVATE = ["clip", "video"];

/** Null where the condition can't be. */
export function expectedOf(operation: Operation, condition: Condition): Expectation | null {
  const { operationId, "x-visibility": visibility, "x-access": access, "x-loads": kind } = operation;
  if (!visibility) throw new Error(`${operationId} names nothing`);
  if (condition === "private") return kind && MAY_BE_PRIVATE.includes(kind) ? "not_found" : null;
  const own = VISIBILITY[operationId]?.[condition];
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
