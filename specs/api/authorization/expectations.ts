import type { ErrorCode } from "../../contract/errors.ts";
import type { Access } from "../../contract/openapi-document.ts";

/** Everyone who may come to an operation. `user` is the author of the things that have one. */
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

/** What a caller gets: the operation's success, or a refusal by its code. */
export type Expectation = "success" | ErrorCode;

const HOLDERS: Record<"owner" | "moderator", readonly CallerName[]> = {
  owner: ["owner"],
  moderator: ["owner", "moderator", "staff"],
};

/** The rule of x-access as one line of the table. Throws for a rule that it can't read. */
export function expected(access: Access, caller: CallerName): Expectation {
  switch (access.who) {
    case "anonymous":
      return "success";
    case "system":
      return caller === "systemKey" ? "success" : "system_key_required";
    case "refresh":
      // No caller of this table shows a refresh token; what comes with one is shown by the specs of sessions.
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

function signedIn({ channel, or, token_only }: Access, caller: CallerName): Expectation {
  if (caller === "anonymous" || caller === "systemKey") return "auth_required";
  if (caller === "banned") return "account_banned";
  // They come with sessions; what comes with a token is shown by the specs of tokens and bots.
  if (token_only) return "forbidden";
  if (channel === undefined) return "success";
  if ((or === "author" || or === "author_or_staff") && caller === "user") return "success";
  if ((or === "staff" || or === "author_or_staff") && caller === "staff") return "success";
  return HOLDERS[channel].includes(caller) ? "success" : "forbidden";
}

type Exceptions = Partial<Record<string, Partial<Record<CallerName, Expectation>>>>;

/** It is the user's, who pays for it or whom it was given to. */
const NOT_THEIRS: Exceptions[string] = {
  otherUser: "forbidden",
  owner: "forbidden",
  moderator: "forbidden",
  otherChannelsModerator: "forbidden",
  staff: "forbidden",
};

/** The channel's owner plans, and nobody else has an entry of that id. */
const OWNER_ALONE_FINDS: Exceptions[string] = {
  user: "not_found",
  otherUser: "not_found",
  moderator: "not_found",
  otherChannelsModerator: "not_found",
  staff: "not_found",
};

/** Like sessions and tokens: others can't even learn that there is one. */
const OTHERS_NOT_FOUND: Exceptions[string] = {
  otherUser: "not_found",
  owner: "not_found",
  moderator: "not_found",
  otherChannelsModerator: "not_found",
  staff: "not_found",
};

/** Where whose thing it is decides more than x-access says. */
export const EXCEPTIONS: Exceptions = {
  endSession: OTHERS_NOT_FOUND,
  deleteApiToken: OTHERS_NOT_FOUND,
  deleteToken: OTHERS_NOT_FOUND,
  createApiToken: { staff: "forbidden" },
  createChatToken: { staff: "forbidden" },
  createToken: { staff: "forbidden" },
  updateDevice: OTHERS_NOT_FOUND,
  removeDevice: OTHERS_NOT_FOUND,
  readNotification: OTHERS_NOT_FOUND,
  deleteNotification: OTHERS_NOT_FOUND,
  updateScheduleEntry: OWNER_ALONE_FINDS,
  deleteScheduleEntry: OWNER_ALONE_FINDS,
  // With a password that isn't theirs, so that they are still there for the next operation.
  deleteMe: {
    user: "invalid_credentials",
    otherUser: "invalid_credentials",
    owner: "invalid_credentials",
    moderator: "invalid_credentials",
    otherChannelsModerator: "invalid_credentials",
    staff: "invalid_credentials",
  },
  // Nobody on staff has a strike or a ban to appeal against.
  createAppeal: { staff: "not_found" },
  placeBet: { owner: "own_prediction" },
  getMyBet: { owner: "not_found" },
  cancelSubscription: NOT_THEIRS,
  resumeSubscription: NOT_THEIRS,
  changeSubscriptionTier: NOT_THEIRS,
  getSubscriptionHistory: {
    otherUser: "forbidden",
    moderator: "forbidden",
    otherChannelsModerator: "forbidden",
  },
  // The redeemer's, beside the channel's owner and staff.
  getRedemptionHistory: {
    otherUser: "forbidden",
    moderator: "forbidden",
    otherChannelsModerator: "forbidden",
  },
  refundTip: NOT_THEIRS,
  stripeHook: Object.fromEntries(CALLERS.map((caller) => [caller, "signature_invalid"])),
};
