import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { type Accounts, createAccounts } from "../../../actors/accounts/accounts.ts";
import { createPasswords, type PasswordLimits } from "../../../actors/accounts/passwords/passwords.ts";
import type { OpenedSession } from "../../../actors/accounts/sessions/opened-session.ts";
import type { SignedIn } from "../../../actors/accounts/tokens/caller.ts";
import type { Revoked } from "../../../actors/accounts/tokens/revocations.ts";
import { createSealing, type MasterKey } from "../../../actors/keys/sealing.ts";
import { createMails } from "../../../actors/mail/mails.ts";
import { createAudit } from "../../../base/audit.ts";
import { silentMeter } from "../../../base/metrics.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { CHEAP_ESTIMATE, CHEAP_PASSWORDS } from "../../support/cheap-passwords.ts";
import { type MovableClock, movableClock } from "../../support/clock.ts";
import { openOwnStores } from "../../support/own-stores.ts";
import { quietLog } from "../../support/quiet-log.ts";
import type { Stores } from "../../support/stores.ts";

export const MASTER_KEY = "a master key for specs, long enough";
export const PASSWORD = "correct horse battery";
export const origin = { ip: "203.0.113.7", userAgent: "specs", requestId: "a-request-of-specs" };

export const newName = () => `u${randomBytes(8).toString("hex")}`;

export type Opened = {
  accounts: Accounts;
  stores: Stores;
  clock: MovableClock;
  /** Revocations that were announced to the gateways. */
  announced: { userId: string; sessionId: string | null; reason: Revoked["reason"] }[];
  /** The entries of the audit log. */
  audited: Record<string, unknown>[];
  /** Another process of the service: same stores and clock, its own memory. */
  another(differing?: { masterKey?: MasterKey; redis?: Redis; mongo?: Mongo }): Accounts;
  /** A new account, signed in, with a unique name. */
  account(): Promise<OpenedSession & { username: string; caller: SignedIn }>;
  close(): Promise<void>;
};

/**
 * Accounts alone, of which specs open several as processes do, and see what each announces; on the real stores, with a clock
 * that they move.
 */
export async function openAccounts(
  passwords: PasswordLimits | "as in production" = { cost: CHEAP_PASSWORDS, estimate: CHEAP_ESTIMATE },
): Promise<Opened> {
  const stores = await openOwnStores();
  const { mongo, redis } = stores;
  const clock = movableClock();
  const announced: Opened["announced"] = [];
  const audited: Opened["audited"] = [];
  const audit = createAudit({ info: (line: unknown) => void audited.push({ ...Object(line) }) });
  // Mails are stored but never sent.
  const mails = createMails({
    mongo,
    redis,
    clock,
    log: quietLog(),
    sealing: createSealing(MASTER_KEY),
    countingKey: Buffer.alloc(32),
    settings: { transport: null, linksUrl: "https://livecore.example" },
    meter: silentMeter(),
  });
  const another: Opened["another"] = (differing) =>
    createAccounts({
      mongo,
      redis,
      clock,
      log: quietLog(),
      audit,
      mails,
      masterKey: MASTER_KEY,
      ...differing,
      passwords: passwords === "as in production" ? createPasswords() : createPasswords(passwords),
      publishRevoked: async (order) => void announced.push(order),
    });
  const accounts = another();
  await accounts.start();

  return {
    accounts,
    stores,
    clock,
    announced,
    audited,
    another,
    async account() {
      const username = newName();
      const input = { username, email: `${username}@example.org`, password: PASSWORD };
      const signIn = await accounts.signIn.register(input, origin);
      return {
        ...signIn,
        username,
        caller: await accounts.tokens.authenticate(signIn.accessToken, "bearer"),
      };
    },
    async close() {
      await accounts.stop();
      await stores.close();
    },
  };
}

/** The code of the refusal, or "accepted". */
export async function outcome(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "accepted";
  } catch (err) {
    return err instanceof Error && "code" in err ? String(err.code) : String(err);
  }
}
