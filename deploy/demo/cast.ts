import { createClient, type LivecoreClient } from "../../clients/typescript/src/index.ts";

export type Account = { userId: string; username: string; client: LivecoreClient };

export type Creator = Account & { streamId: string; streamKey: string };

/** A client of nobody yet, in bearer mode. It waits out refusals for some seconds, as one should. */
export function newClient(baseUrl: string): LivecoreClient {
  return createClient({ baseUrl, patience: { tries: 4, maxWaitMs: 15_000 } });
}

/** Registers an account and signs it in, as a native client does. */
async function enrol(baseUrl: string, username: string): Promise<Account> {
  const account = await enrolViewer(baseUrl, username);
  await account.client.call("login", { body: { login: username, password: passwordOf(username) } });
  return account;
}

/** A viewer needs only the session that registering gives. */
export async function enrolViewer(baseUrl: string, username: string): Promise<Account> {
  const client = newClient(baseUrl);
  const body = { username, email: `${username}@demo.example`, password: passwordOf(username) };
  const { user } = await client.call("register", { body });
  if (!user) throw new Error("Registering didn't sign in.");
  return { userId: user.id, username, client };
}

const passwordOf = (username: string) => `demo ${username} password`;

export async function enrolCreator(baseUrl: string, username: string): Promise<Creator> {
  const account = await enrol(baseUrl, username);
  const stream = await account.client.call("updateMyStream", {
    body: { name: "One evening live", language: "en", tags: ["demo", "speedrun"] },
  });
  return { ...account, streamId: stream.id, streamKey: stream.stream_key };
}

/** What nginx-rtmp posts for a publisher, field by field and in its order; a publish_done carries the same clientid. */
export function nginxRtmpFields(streamKey: string, clientId: number) {
  return {
    app: "ingest",
    flashver: "FMLE/3.0 (compatible; FMSc/1.0)",
    swfurl: "",
    tcurl: "rtmp://127.0.0.1:1935/ingest",
    pageurl: "",
    addr: "127.0.0.1",
    clientid: String(clientId),
    name: streamKey,
  };
}
