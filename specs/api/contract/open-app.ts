import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { Redis } from "ioredis";
import type { SignedIn } from "../../../actors/identity/caller.ts";
import { createApp } from "../../../api/http/app.ts";
import type { Operations } from "../../../api/http/bind.ts";
import { answerBrokenRequest } from "../../../api/http/broken-request.ts";
import type { Answered } from "../../../api/http/context.ts";
import type { Log } from "../../../store/log.ts";
import { ServiceError } from "../../contract/errors.ts";
import { openStores } from "../../support/stores.ts";

export const SYSTEM_KEY = "the system key of these specs";

export type OpenedApp = {
  baseUrl: string;
  /** A session of a new user, which the app takes as bearer or cookie. */
  newToken(): string;
  /** Log lines as JSON, so that a spec can look for what must not be in them. */
  lines: string[];
  answered: Answered[];
  close(): Promise<void>;
};

/**
 * The HTTP layer on a free port with the routes that a spec gives it: what is shown is the layer, whoever
 * sits behind it. Limits are counted in the real Redis.
 */
export async function openApp(
  routes: (operations: Operations) => void,
  options: { factor?: number; redis?: Redis; allowedOrigins?: string[] } = {},
): Promise<OpenedApp> {
  const stores = await openStores();
  const users = new Map<string, string>();
  const lines: string[] = [];
  const answered: Answered[] = [];
  const { app, operations } = createApp({
    identity: {
      async authenticate(given, via): Promise<SignedIn> {
        const userId = users.get(given);
        if (!userId) throw new ServiceError("invalid_token");
        return { kind: "user", userId, username: "somebody", sessionId: randomUUID(), via };
      },
    },
    redis: options.redis ?? stores.redis,
    log: recordingLog(lines),
    systemKey: SYSTEM_KEY,
    allowedOrigins: options.allowedOrigins ?? [],
    trustedProxies: [],
    rateLimitFactor: options.factor ?? 1_000,
    checkResponses: true,
    onAnswered: (answer) => void answered.push(answer),
  });
  routes(operations);
  const server = createServer(app);
  server.on("clientError", answerBrokenRequest);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    newToken() {
      const token = randomUUID();
      users.set(token, randomUUID());
      return token;
    },
    lines,
    answered,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stores.close();
    },
  };
}

function recordingLog(lines: string[]): Log {
  const write = (first: object | string, message?: string) =>
    void lines.push(JSON.stringify([message ?? first, first]));
  const log: Log = { error: write, warn: write, info: write, debug: write, child: () => log };
  return log;
}
