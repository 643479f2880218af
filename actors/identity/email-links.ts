import { randomBytes } from "node:crypto";
import type { EmailTokenDoc, EmailTokenPurpose } from "../../store/mongo/email-tokens.ts";
import { RESET_SECONDS } from "../mail/recipient-limit.ts";
import { hashToken } from "./refresh-tokens.ts";
import { DAY_MS } from "./usernames.ts";

/** How long what may have been a thief's act can be undone by a link. */
export const LINK_UNDOES_MS = 7 * DAY_MS;

const LASTS_MS: Readonly<Record<EmailTokenPurpose, number>> = {
  verify: DAY_MS,
  change: DAY_MS,
  reset: RESET_SECONDS * 1_000,
  undo: LINK_UNDOES_MS,
  undo_two_factor: LINK_UNDOES_MS,
};

/** A newer one takes its place. Not of a reset: anybody may ask for one, and would make the owner's useless. */
const ONE_AT_A_TIME: ReadonlySet<EmailTokenPurpose> = new Set(["verify", "change"]);

/** A token of 256 bits, which goes into a mail and nowhere else, and what is kept of it. */
export function newLink(
  purpose: EmailTokenPurpose,
  { userId, email }: { userId: string; email: string },
  now: number,
): { token: string; doc: EmailTokenDoc } {
  const token = `lc_em_${randomBytes(32).toString("base64url")}`;
  const hash = hashToken(token);
  const doc: EmailTokenDoc = {
    _id: ONE_AT_A_TIME.has(purpose) ? `${purpose}:${userId}` : `${purpose}:${userId}:${hash}`,
    ...{ hash, purpose, userId, email, emailKey: email.toLowerCase() },
    createdAt: new Date(now),
    expiresAt: new Date(now + LASTS_MS[purpose]),
  };
  return { token, doc };
}

/** Of the mail that brings the link: it is sent as long as the link is good. */
export const mailOfLink = ({ hash, userId, email, expiresAt }: EmailTokenDoc) => ({
  key: `link:${hash.slice(0, 32)}`,
  ...{ to: email, userId, usefulUntil: expiresAt },
});
