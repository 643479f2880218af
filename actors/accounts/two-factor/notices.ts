import { newId } from "../../../base/ids.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import type { MailRequest } from "../../mail/mails.ts";
import type { MailData } from "../../mail/texts.ts";

/** A mail about a change of the second factor. Only for verified addresses: any other may be a stranger's. */
export function noticeOf(
  { email: to, username, _id: userId }: UserDoc,
  change: MailData["two_factor_changed"]["change"],
  ms: number,
): MailRequest<"two_factor_changed"> {
  const data = { username, change, at: new Date(ms).toISOString() };
  return { key: `two_factor:${newId()}`, template: "two_factor_changed", to, userId, data };
}
