import { existsSync, readFileSync } from "node:fs";
import { createClient, LivecoreError } from "../../clients/typescript/src/index.ts";
import { newId } from "../../store/ids.ts";
import { writePrivate } from "../home/home.ts";

/** An account to broadcast with, and what to paste into OBS. */
type Broadcaster = { username: string; password: string; streamId: string; streamKey: string };

type Kept = { username: string; password: string };

/**
 * Returns the same account at each start for as long as the database has it. Its credentials are kept in `file`, which only
 * its owner may read.
 */
export async function broadcasterAt(baseUrl: string, file: string): Promise<Broadcaster> {
  const client = createClient({ baseUrl, retry: { tries: 4, maxWaitMs: 15_000 } });
  const kept = readKept(file);
  const signedIn = kept && (await signIn(kept));
  const account = signedIn ? kept : await register();
  const { id: streamId, stream_key: streamKey } = await client.call("getMyStream");
  if (!streamKey) throw new Error("the stream has no key");
  return { ...account, streamId, streamKey };

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
    const made = { username: `studio_${newId().slice(-8)}`, password: newId() };
    const email = `${made.username}@studio.example`;
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
