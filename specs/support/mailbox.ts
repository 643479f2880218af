import type { ReceivedMail } from "../../deploy/development/mail/received.ts";
import { resetRequestsCollection } from "../../store/mongo/accounts/password-reset-requests.ts";
import { mailsCollection } from "../../store/mongo/notifications/mails.ts";
import { eventually } from "./eventually.ts";
import type { World } from "./world.ts";

/**
 * The received mails, as the development mailbox lists them. Who waits for one doesn't wait for the jobs' next second: that they
 * send by themselves is shown by every-job-runs.spec.ts. Throws when the world sends none.
 */
export function mailboxOf({ mailboxUrl, core }: Pick<World, "mailboxUrl" | "core">) {
  if (mailboxUrl === null) throw new Error("open the world with `sendsMails: true`");
  async function to(address: string): Promise<ReceivedMail[]> {
    const response = await fetch(`${mailboxUrl}/mail.json`);
    const { items } = (await response.json()) as { items: ReceivedMail[] };
    return items.filter((mail) => mail.to.includes(address));
  }
  /** Does at once what the jobs do every second. */
  async function sweep(): Promise<void> {
    await core.recovery.sweepPasswordResets();
    await core.mails.sweep();
  }
  return {
    /** Oldest first. */
    to,
    sweep,
    /** Every requested link was decided on, and every mail was sent. */
    settled: () =>
      eventually(
        async () => {
          await sweep();
          const { db } = core.mongo;
          const requests = await resetRequestsCollection.in(db).countDocuments();
          return requests + (await mailsCollection.in(db).countDocuments({ state: "waiting" })) === 0;
        },
        { withinMs: 15_000, what: "nothing waits to be mailed" },
      ),
    /** Waits for a mail with that subject; returns the newest. */
    async next(address: string, subject: string | RegExp): Promise<ReceivedMail> {
      return eventually(
        async () => {
          const found = (await to(address)).filter((mail) => mail.subject.match(subject)).at(-1);
          if (found) return found;
          await sweep();
          throw new Error(`no mail "${subject}" came`);
        },
        { withinMs: 15_000 },
      );
    },
  };
}

export type Mailbox = ReturnType<typeof mailboxOf>;

/** The token in the link of a mail. */
export function tokenIn({ text }: Pick<ReceivedMail, "text">): string {
  const [, token] = /#token=([\w-]+)/.exec(text) ?? [];
  if (token === undefined) throw new Error("the mail has no link");
  return token;
}
