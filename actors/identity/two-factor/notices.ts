import { newId } from "../../../store/ids.ts";
import type { UserDoc } from "../../../store/mongo/users.ts";
import type { MailRequest } from "../../mail/mails.ts";
import type { MailData } from "../../mail/texts.ts";

/** Tells the owner what became of the second factor. For addresses that were proven to be theirs alone: another may be anybody's. */
export function noticeOf(
  { email: to, username, _id: userId }: UserDoc,
  change: MailData["two_factor_changed"]["change"],
  ms: number,
): MailRequest<"two_factor_changed"> {
  const data = { username, change, at: new Date(ms).toISOString() };
  return { key: `two_factor:${newId()}`, template: "two_factor_changed", to, userId, data };
}
