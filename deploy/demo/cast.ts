import { WebSocket } from "ws";
import { createClient, type LivecoreClient } from "../../clients/typescript/src/index.ts";

export type Account = { userId: string; username: string; client: LivecoreClient };

/** `publisherId` is what the RTMP server calls its publisher; a publish_done names it again. */
export type Creator = Account & { streamId: string; streamKey: string; publisherId: number };

/** A client of nobody yet, in bearer mode. It waits out refusals for some seconds, as one should. */
export function newClient(baseUrl: string): LivecoreClient {
  return createClient({ baseUrl, WebSocket, patience: { tries: 4, maxWaitMs: 15_000 } });
}

/** Registers an account and signs it in, as a native client does. */
export async function enrol(baseUrl: string, username: string): Promise<Account> {
  const account = await enrolViewer(baseUrl, username);
  await account.client.call("login", { body: { login: username, password: passwordOf(username) } });
  return account;
}

/** Signs in once more, with a code beside the password: what ended with the second factor's beginning. */
export async function signInWithCode({ username, client }: Account, newCode: () => string): Promise<void> {
  const pending = await client.call("login", { body: { login: username, password: passwordOf(username) } });
  if (!pending.two_factor_token) throw new Error("Signing in doesn't ask for a second factor.");
  await client.call("finishLogin", {
    body: { two_factor_token: pending.two_factor_token, code: newCode() },
  });
}

/** Proves once more to be the owner, as changes of security ask for some minutes after signing in. */
export const stepUp = ({ username, client }: Account) =>
  client.call("stepUp", { body: { password: passwordOf(username) } });

/** A viewer needs only the session that registering gives. */
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
  return { ...account, streamId: stream.id, streamKey: stream.stream_key, publisherId };
}

/** What nginx-rtmp posts for a publisher, field by field and in its order. */
export function nginxRtmpFields({ streamKey, publisherId }: Creator) {
  return {
    app: "ingest",
    flashver: "FMLE/3.0 (compatible; FMSc/1.0)",
    swfurl: "",
    tcurl: "rtmp://127.0.0.1:1935/ingest",
    pageurl: "",
    addr: "127.0.0.1",
    clientid: String(publisherId),
    name: streamKey,
  };
}
