import { existsSync, readFileSync } from "node:fs";
import { createClient, type LivecoreClient, LivecoreError } from "../../clients/typescript/src/index.ts";
import { newId } from "../../store/ids.ts";
import { writePrivate } from "./home.ts";

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
      await client.call("login", { body: { login, password } });
      return true;
    } catch (err) {
      // The database is another one than last time, or the account has changed.
      if (err instanceof LivecoreError) return false;
      throw err;
    }
  }

  async function register(): Promise<Kept> {
    const made = { username: `${prefix}_${newId().slice(-8)}`, password: newId() };
    const email = `${made.username}@${prefix}.example`;
    await client.call("register", { body: { ...made, email } });
    await client.call("login", { body: { login: made.username, password: made.password } });
    writePrivate(file, `${JSON.stringify(made, null, 2)}\n`);
    return made;
  }
}

function readKept(file: string): Kept | null {
  if (!existsSync(file)) return null;
  const { username, password }: Partial<Kept> = JSON.parse(readFileSync(file, "utf8"));
  return typeof username === "string" && typeof password === "string" ? { username, password } : null;
}
