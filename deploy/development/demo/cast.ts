import { WebSocket } from "ws";
import { createClient, type LivecoreClient } from "../../../clients/typescript/src/index.ts";

export type Account = { userId: string; username: string; client: LivecoreClient };

/** `publisherId` is the RTMP server's id of the publisher; a publish_done names it again. */
export type Creator = Account & { streamId: string; streamKey: string; publisherId: number };

/** A client that isn't signed in yet, in bearer mode. It retries rate-limited calls for some seconds, as a client should. */
export function newClient(baseUrl: string): LivecoreClient {
  return createClient({ baseUrl, WebSocket, retry: { tries: 4, maxWaitMs: 15_000 } });
}

/** Registers an account and signs it in, as a native client does. */
export async function enrol(baseUrl: string, username: string): Promise<Account> {
  const account = await enrolViewer(baseUrl, username);
  await account.client.call("login", { body: { login: username, password: passwordOf(username) } });
  return account;
}

/** Signs in again, with a one-time code beside the password: enabling the second factor ended the earlier session. */
export async function signInWithCode({ username, client }: Account, newCode: () => string): Promise<void> {
  const pending = await client.call("login", { body: { login: username, password: passwordOf(username) } });
  if (!pending.two_factor_token) throw new Error("Signing in doesn't ask for a second factor.");
  await client.call("finishLogin", {
    body: { two_factor_token: pending.two_factor_token, code: newCode() },
  });
}

/** Confirms the password again, which changes of security settings require when the sign-in is some minutes old. */
export const stepUp = ({ username, client }: Account) =>
  client.call("stepUp", { body: { password: passwordOf(username) } });

/** Registers an account. A viewer needs only the session that registering gives. */
export async function enrolViewer(baseUrl: string, username: string): Promise<Account> {
  const client = newClient(baseUrl);
  const body = { username, email: `${username}@demo.example`, password: passwordOf(username) };
  const { user } = await client.call("register", { body });
  if (!user) throw new Error("Registering didn't sign in.");
  return { userId: user.id, username, client };
}

const passwordOf = (username: string) => `demo ${username} password`;

export async function enrolCreator(
  baseUrl: string,
  username: string,
  { name, publisherId }: { name: string; publisherId: number },
): Promise<Creator> {
  const account = await enrol(baseUrl, username);
  const stream = await account.client.call("updateMyStream", {
    body: { name, language: "en", tags: ["demo", "speedrun"] },
  });
  const { id: streamId, stream_key: streamKey } = stream;
  if (streamKey === undefined) throw new Error("A session got no stream key.");
  return { ...account, streamId, streamKey, publisherId };
}
