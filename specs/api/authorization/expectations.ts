import type { ErrorCode } from "../../../contract/errors.ts";
import type { Access } from "../../../contract/openapi-document.ts";

/** All kinds of callers. `user` is the author of things that have one. */
export const CALLERS = [
  "anonymous",
  "user",
  "otherUser",
  "owner",
  "moderator",
  "otherChannelsModerator",
  "staff",
  "banned",
  "systemKey",
] as const;

export type CallerName = (typeof CALLERS)[number];

/** What a caller gets: success, or the code of the refusal. */
export type Expectation = "success" | ErrorCode;

const HOLDERS: Record<"owner" | "moderator", readonly CallerName[]> = {
  owner: ["owner"],
  moderator: ["owner", "moderator", "staff"],
};

/** The expectation by x-access. Throws for a rule that it doesn't know. */
export function expected(access: Access, caller: CallerName): Expectation {
  switch (access.who) {
    case "anonymous":
      return "success";
    case "system":
      return caller === "systemKey" ? "success" : "system_key_required";
    case "refresh":
      // No caller of this table sends a refresh token; the specs of sessions cover those.
      return "auth_required";
    case "optional":
      return caller === "banned" ? "account_banned" : "success";
    case "session":
      return signedIn(access, caller);
    case "staff": {
      const refused = signedIn(access, caller);
      return refused === "success" && caller !== "staff" ? "forbidden" : refused;
    }
    default:
      throw new Error(`The table has no rule for x-access.who "${String(access.who)}"`);
  }
}

function signedIn({ channel, or, token_only, overlay }: Access, caller: CallerName): Expectation {
  if (caller === "anonymous" || caller === "systemKey") return "auth_required";
  if (caller === "banned") return "account_banned";
  // These callers have sessions; the specs of tokens, bots and overlays cover tokens.
  if (token_only || overlay === "only") return "forbidden";
  if (channel === undefined) return "success";
  if ((or === "author" || or === "author_or_staff") && caller === "user") return "success";
  if ((or === "staff" || or === "author_or_staff") && caller === "staff") return "success";
  return HOLDERS[channel].includes(caller) ? "success" : "forbidden";
}

/** As for sessions and tokens: others can't even learn that it exists. */
export const OTHERS_NOT_FOUND: Partial<Record<CallerName, Expectation>> = {
  otherUser: "not_found",
  owner: "not_found",
  moderator: "not_found",
  otherChannelsModerator: "not_found",
  staff: "not_found",
};
