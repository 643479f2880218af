import type { ClientSession } from "mongodb";
import { DAY_MS } from "../../base/durations.ts";
import { usersIn } from "../../store/mongo/accounts/users.ts";
import type { Mongo } from "../../store/mongo/driver/connect.ts";
import type { NotificationFactDoc } from "../../store/mongo/notifications/notification-facts.ts";
import type { Mails } from "../mail/mails.ts";

/** After this time a decision isn't mailed any more; facts left behind by an older release are no news. */
const USEFUL_MS = 3 * DAY_MS;

export type DecisionMailDeps = { mongo: Mongo; mails: Pick<Mails, "request"> };
type Mailbox = { _id: string; username: string; email: string };

/**
 * Mails decisions of staff to the user concerned, regardless of the preferences: they have no notification type, and a banned
 * user can't read the list of notifications.
 */
export function createDecisionMails({ mongo, mails }: DecisionMailDeps) {
  const users = usersIn(mongo.db);

  async function mail(fact: NotificationFactDoc, mailbox: Mailbox, session: ClientSession): Promise<void> {
    const { _id: userId, username, email: to } = mailbox;
    const at = fact.createdAt.toISOString();
    const about = { to, userId, usefulUntil: new Date(fact.createdAt.getTime() + USEFUL_MS) };
    if (fact.kind === "measure") {
      const { id, measure, reason, until } = fact.data;
      const data = { username, measure, reason, until: until?.toISOString() ?? null, at };
      await mails.request({ key: `measure:${measure}:${id}`, template: "measure", ...about, data }, session);
    } else if (fact.kind === "appeal") {
      const { appealId, status } = fact.data;
      const data = { username, status, at };
      await mails.request({ key: `appeal:${appealId}`, template: "appeal_decided", ...about, data }, session);
    }
  }

  /** To be called in the transaction that marks the facts. */
  return async (facts: readonly NotificationFactDoc[], session: ClientSession): Promise<void> => {
    const decided = facts.filter(({ kind }) => kind === "measure" || kind === "appeal");
    if (decided.length === 0) return;
    const found = await users.mailboxesOfAny(decided.map(({ userId }) => userId));
    const mailboxes = new Map(found.map((one) => [one._id, one]));
    for (const fact of decided) {
      const mailbox = mailboxes.get(fact.userId);
      if (mailbox) await mail(fact, mailbox, session);
    }
  };
}
