import { randomBytes } from "node:crypto";
import { createEnrolment } from "../../../../actors/accounts/two-factor/enrolment.ts";
import { codeAt } from "../../../../actors/accounts/two-factor/one-time-codes.ts";
import { createSealing } from "../../../../actors/keys/sealing.ts";
import { createMailRequests } from "../../../../actors/mail/mails.ts";
import { createAudit } from "../../../../base/audit.ts";
import { usersIn } from "../../../../store/mongo/accounts/users.ts";
import type { Answer, Api } from "../../../support/api.ts";
import type { MovableClock } from "../../../support/clock.ts";
import { MASTER_KEY } from "../../../support/core.ts";
import { mailboxOf, tokenIn } from "../../../support/mailbox.ts";
import { givenTwoFactor } from "../../../support/two-factor.ts";
import { openWorld, type World } from "../../../support/world.ts";

export const PASSWORD = "a long phrase for specs";
/** The password after a reset. */
export const ANOTHER = "another phrase for specs";
export const STEP_MS = 30_000;

export type Account = { id: string; username: string; device: string; api: Api };
export type Protected = Account & { secret: string; recoveryCodes: string[] };

export const addressOf = ({ username }: Pick<Account, "username">) => `${username}@example.com`;

/** Fixtures: accounts of a world and their sign-ins. */
export function accountsIn({ api, core }: Pick<World, "api" | "core">) {
  const bearer = api.with({ "x-auth-mode": "bearer" });

  async function account(): Promise<Account> {
    const username = `t_${randomBytes(8).toString("hex")}`;
    const body = { username, email: addressOf({ username }), password: PASSWORD };
    const { user, access_token: token = "", device_id: device } = await bearer.ok("register", { body });
    return { id: user?.id ?? "", username, device, api: api.as({ token }) };
  }

  return {
    bearer,
    account,
    /** The current code, or that of some steps later. */
    codeOf: ({ secret }: { secret: string }, steps = 0) => codeAt(secret, core.clock.now() + steps * STEP_MS),
    async protectedAccount(): Promise<Protected> {
      const made = await account();
      return { ...made, ...(await givenTwoFactor(core, made.api)) };
    },
    /** The first step of a sign-in, by password; returns the token for the second. */
    async begin(
      { username }: Account,
      more: { device_id?: string; password?: string } = {},
    ): Promise<string> {
      const body = { login: username, password: PASSWORD, ...more };
      return String((await bearer.ok("login", { body })).two_factor_token);
    },
    finish: (two_factor_token: string, code: string, device_id?: string): Promise<Answer> =>
      bearer.call("finishLogin", { body: { two_factor_token, code, ...(device_id ? { device_id } : {}) } }),
  };
}

export type MailedWorld = Awaited<ReturnType<typeof openMailedWorld>>;

/** A world with accounts, mailed links and operator commands. The caller closes it. */
export async function openMailedWorld(clock: MovableClock) {
  const world = await openWorld({ clock, sendsMails: true });
  const mailbox = mailboxOf(world);
  const linkIn = async (address: string, subject: RegExp) => tokenIn(await mailbox.next(address, subject));
  return {
    ...world,
    mailbox,
    accounts: accountsIn(world),
    linkIn,
    /** Verifies by the link of the mail with that subject. */
    async verify(address: string, subject: RegExp): Promise<void> {
      await world.api.ok("verifyEmail", { body: { token: await linkIn(address, subject) } });
    },
    /** Resets the password by the requested link. */
    async resetByLink(address: string): Promise<void> {
      const body = { token: await linkIn(address, /Reset/), password: ANOTHER };
      await world.api.ok("resetPassword", { body });
    },
    /** Operations on an account as an operator's command performs them. */
    async operatorOn({ id }: Account) {
      const { mongo } = world.core;
      const sealing = createSealing(MASTER_KEY);
      const audit = createAudit({ info: () => undefined });
      const mails = createMailRequests({ mongo, clock, sealing });
      const user = await usersIn(mongo.db).find(id);
      if (!user) throw new Error("the account is missing");
      return { user, enrolment: createEnrolment({ mongo, sealing, mails, audit, clock }) };
    },
  };
}

/** A code that is none of these. */
export function wrongCode(right: readonly string[]): string {
  for (let n = 0; ; n++) {
    const code = String(n).padStart(6, "0");
    if (!right.includes(code)) return code;
  }
}

/** Counts the outcomes. */
export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of answers) {
    const name = code ?? String(status);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
