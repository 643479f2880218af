import { existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { newId } from "../../../base/ids.ts";
import { createClient, type LivecoreClient, LivecoreError } from "../../../clients/typescript/src/index.ts";
import { writePrivate } from "./home.ts";

const TRIES = 5;
const RETRY_MS = 1_000;

type Kept = { username: string; password: string };

export type KeptAccount = Kept & { client: LivecoreClient };

/**
 * A signed-in account that is the same at each start for as long as the database has it. Its credentials are kept in `file`, which only
 * its owner may read; a new one is named by `prefix`.
 */
export async function keptAccount(
  baseUrl: string,
  { file, prefix }: { file: string; prefix: string },
): Promise<KeptAccount> {
  const client = createClient({ baseUrl, retry: { tries: 4, maxWaitMs: 15_000 } });
  const kept = readKept(file);
  const isKnown = kept !== null && (await signIn(kept));
  return { ...(isKnown ? kept : await register()), client };

  async function signIn({ username: login, password }: Kept): Promise<boolean> {
    try {
      await patiently(() => client.call("login", { body: { login, password } }));
      return true;
    } catch (err) {
      // The database is another one than last time, or the account has changed.
      if (err instanceof LivecoreError && err.code !== "unavailable") return false;
      throw err;
    }
  }

  async function register(): Promise<Kept> {
    const made = await patiently(async () => {
      // Each time another name: the account may have been made before a refusal.
      const account = { username: `${prefix}_${newId().slice(-8)}`, password: newId() };
      await client.call("register", { body: { ...account, email: `${account.username}@${prefix}.example` } });
      return account;
    });
    await patiently(() => client.call("login", { body: { login: made.username, password: made.password } }));
    writePrivate(file, `${JSON.stringify(made, null, 2)}\n`);
    return made;
  }
}

/** Calls it again while the service is too busy, as it may be right after its start. */
async function patiently<T>(call: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    try {
      return await call();
    } catch (err) {
      if (!(err instanceof LivecoreError) || err.code !== "unavailable" || left <= 1) throw err;
      await pause(err.retryAfterMs ?? RETRY_MS);
    }
  }
}

function readKept(file: string): Kept | null {
  if (!existsSync(file)) return null;
  const { username, password }: Partial<Kept> = JSON.parse(readFileSync(file, "utf8"));
  return typeof username === "string" && typeof password === "string" ? { username, password } : null;
}
