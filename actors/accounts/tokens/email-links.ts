import { randomBytes } from "node:crypto";
import { DAY_MS } from "../../../base/durations.ts";
import type { EmailTokenDoc, EmailTokenPurpose } from "../../../store/mongo/accounts/email-tokens.ts";
import { RESET_SECONDS } from "../../mail/recipient-limit.ts";
import { hashToken } from "./refresh-tokens.ts";

/** How long a change that may have been made by a thief can be undone by a link. */
export const UNDO_LINK_TTL_MS = 7 * DAY_MS;

const TTL_MS: Readonly<Record<EmailTokenPurpose, number>> = {
  verify: DAY_MS,
  change: DAY_MS,
  reset: RESET_SECONDS * 1_000,
  undo: UNDO_LINK_TTL_MS,
  undo_two_factor: UNDO_LINK_TTL_MS,
};

/** A new link replaces the previous one. Not for resets: anybody may request one, and would invalidate the owner's link. */
const ONE_AT_A_TIME: ReadonlySet<EmailTokenPurpose> = new Set(["verify", "change"]);

/** A 256-bit token, which is only mailed, and the document to store, which has its hash. */
export function newLink(
  purpose: EmailTokenPurpose,
  { userId, email }: { userId: string; email: string },
  now: number,
): { token: string; doc: EmailTokenDoc } {
  const token = `lc_em_${randomBytes(32).toString("base64url")}`;
  const hash = hashToken(token);
  const doc: EmailTokenDoc = {
    _id: ONE_AT_A_TIME.has(purpose) ? `${purpose}:${userId}` : `${purpose}:${userId}:${hash}`,
    hash,
    purpose,
    userId,
    email,
    emailKey: email.toLowerCase(),
    createdAt: new Date(now),
    expiresAt: new Date(now + TTL_MS[purpose]),
  };
  return { token, doc };
}

/** Fields of the mail with the link: it may be sent as long as the link is valid. */
export const mailOfLink = ({ hash, userId, email, expiresAt }: EmailTokenDoc) => ({
  key: `link:${hash.slice(0, 32)}`,
  to: email,
  userId,
  usefulUntil: expiresAt,
});
