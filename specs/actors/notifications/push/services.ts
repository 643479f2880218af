/** Local push services with the real protocols: each records what it receives, and answers as a spec says. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer as createHttp, type IncomingMessage } from "node:http";
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import { createServer as createHttps } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { buffer } from "node:stream/consumers";
import { importSPKI, jwtVerify } from "jose";
import { CERTIFICATE } from "./certificate.ts";

type Received = { path: string; headers: Record<string, string>; body: Buffer };
type Answer = { status: number; headers?: Record<string, string>; body?: unknown };

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

const pemOf = (key: KeyObject) => String(key.export({ type: "pkcs8", format: "pem" }));
const publicPemOf = (key: KeyObject) => String(key.export({ type: "spki", format: "pem" }));

async function receivedFrom(req: IncomingMessage): Promise<Received> {
  const headers = Object.fromEntries(
    Object.entries(req.headers).map(([name, value]) => [name, String(value)]),
  );
  return { path: req.url ?? "", headers, body: await buffer(req) };
}

/** A browser vendor's service: https, with a URL per subscription. */
export async function startWebPushService() {
  const received: Received[] = [];
  const answering: { with: (one: Received) => Answer | null } = { with: () => ({ status: 201 }) };
  const server = createHttps(CERTIFICATE, async (req, res) => {
    const one = await receivedFrom(req);
    received.push(one);
    const answer = answering.with(one);
    // It hangs.
    if (!answer) return;
    res
      .writeHead(answer.status, answer.headers)
      .end(answer.body === undefined ? undefined : String(answer.body));
  });
  const port = await listening(server);
  return {
    received,
    answering,
    url: `https://localhost:${port}`,
    close: () => {
      server.closeAllConnections();
      return closed(server);
    },
  };
}

/** Apple's service: HTTP/2, with the device token in the path and a JWT for the sender. */
export async function startApns() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const received: Received[] = [];
  const answering: { with: (one: Received) => Answer | null } = { with: () => ({ status: 200 }) };
  const server = createSecureServer(CERTIFICATE);
  const sessions = new Set<{ destroy(): void; goaway(): void }>();
  server.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
  });
  const take = async (stream: ServerHttp2Stream, given: NodeJS.Dict<string | string[]>) => {
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    const one = { path: headers[":path"] ?? "", headers, body: await buffer(stream) };
    received.push(one);
    const answer = answering.with(one);
    if (!answer || stream.destroyed) return;
    stream.respond({ ":status": answer.status, ...answer.headers });
    stream.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
  };
  server.on("stream", (stream: ServerHttp2Stream, headers) => {
    stream.on("error", () => undefined);
    void take(stream, headers).catch(() => undefined);
  });
  const port = await listening(server);
  return {
    received,
    answering,
    url: `https://localhost:${port}`,
    connections: () => sessions.size,
    goAway: () => {
      for (const session of sessions) session.goaway();
    },
    settings: {
      key: pemOf(privateKey),
      keyId: "ABC123DEFG",
      teamId: "DEF123GHIJ",
      topic: "tv.example.app",
      isSandbox: false,
    },
    /** Verifies the JWT with that key and returns its claims and header; throws when it is invalid. */
    verify: async (token: string) =>
      jwtVerify(token, await importSPKI(publicPemOf(publicKey), "ES256"), { currentDate: new Date(0) }),
    async close() {
      for (const session of sessions) session.destroy();
      await closed(server);
    },
  };
}

/** Google's service: access tokens for a service account's assertion, and messages of a project. */
export async function startFcm() {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const received: Received[] = [];
  const tokens: string[] = [];
  const answering: { with: (one: Received) => Answer | null } = {
    with: () => ({ status: 200, body: { name: "m" } }),
  };
  const access = { status: 200, good: new Set<string>() };
  const tokenRequests: { assertion: string; grant: string }[] = [];

  /** Null: it hangs. */
  async function answerOf(one: Received): Promise<Answer | null> {
    if (one.path === "/token") {
      const form = new URLSearchParams(one.body.toString());
      tokenRequests.push({ assertion: form.get("assertion") ?? "", grant: form.get("grant_type") ?? "" });
      if (access.status !== 200) return { status: access.status, body: { error: "unavailable" } };
      const token = `access-${tokens.push("") + 1}`;
      access.good.add(token);
      return { status: 200, body: { access_token: token, expires_in: 3_599, token_type: "Bearer" } };
    }
    received.push(one);
    if (!access.good.has((one.headers.authorization ?? "").replace("Bearer ", "")))
      return { status: 401, body: { error: { status: "UNAUTHENTICATED" } } };
    return answering.with(one);
  }

  const server = createHttp(async (req, res) => {
    const answer = await answerOf(await receivedFrom(req));
    if (!answer) return;
    const { status, headers, body } = answer;
    res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body ?? {}));
  });
  const port = await listening(server);
  const url = `http://127.0.0.1:${port}`;
  return {
    received,
    answering,
    access,
    tokenRequests,
    url,
    settings: {
      projectId: "spec-project",
      clientEmail: "push@spec-project.example",
      privateKey: pemOf(privateKey),
      tokenUrl: `${url}/token`,
    },
    verify: async (assertion: string, at: Date) =>
      jwtVerify(assertion, await importSPKI(publicPemOf(publicKey), "RS256"), { currentDate: at }),
    close: () => {
      server.closeAllConnections();
      return closed(server);
    },
  };
}

export const unregistered = {
  status: 404,
  body: {
    error: {
      code: 404,
      status: "NOT_FOUND",
      message: "Requested entity was not found.",
      details: [
        { "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode: "UNREGISTERED" },
      ],
    },
  },
};
