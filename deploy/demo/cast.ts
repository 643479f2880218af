import { type Rest, text } from "./rest.ts";

export type Account = { userId: string; username: string; token: string };

export type Creator = Account & { streamId: string; streamKey: string };

const bearer = { "x-auth-mode": "bearer" };

/** Registers an account and signs it in, as a native client does. */
export async function enrol(rest: Rest, username: string): Promise<Account> {
  const password = `demo ${username} password`;
  await rest.ok("POST", "/v1/auth/register", {
    json: { username, email: `${username}@demo.example`, password },
    headers: bearer,
  });
  const session = await rest.ok("POST", "/v1/auth/login", {
    json: { login: username, password },
    headers: bearer,
  });
  return { userId: text(session, "user", "id"), username, token: text(session, "access_token") };
}

/** A viewer needs only the session that registering gives. */
export async function enrolViewer(rest: Rest, username: string): Promise<Account> {
  const session = await rest.ok("POST", "/v1/auth/register", {
    json: { username, email: `${username}@demo.example`, password: `demo ${username} password` },
    headers: bearer,
  });
  return { userId: text(session, "user", "id"), username, token: text(session, "access_token") };
}

export async function enrolCreator(rest: Rest, username: string): Promise<Creator> {
  const account = await enrol(rest, username);
  const stream = await rest.ok("PATCH", "/v1/streams/me", {
    token: account.token,
    json: { name: "One evening live", language: "en", tags: ["demo", "speedrun"] },
  });
  return { ...account, streamId: text(stream, "id"), streamKey: text(stream, "stream_key") };
}

/**
 * The form body that nginx-rtmp posts for a publisher, field by field and in its order.
 * `done` is its publish_done, which carries the same clientid.
 */
export function nginxRtmpForm(call: "publish" | "publish_done", streamKey: string, clientId: number): string {
  const fields: [string, string][] = [
    ["app", "ingest"],
    ["flashver", "FMLE/3.0 (compatible; FMSc/1.0)"],
    ["swfurl", ""],
    ["tcurl", "rtmp://127.0.0.1:1935/ingest"],
    ["pageurl", ""],
    ["addr", "127.0.0.1"],
    ["clientid", String(clientId)],
    ["call", call],
    ["name", streamKey],
    ...(call === "publish" ? ([["type", "live"]] satisfies [string, string][]) : []),
  ];
  return new URLSearchParams(fields).toString();
}
