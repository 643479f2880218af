import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { SignedIn } from "../../../actors/accounts/tokens/caller.ts";
import type { AppDeps } from "../../../api/http/app.ts";
import type { Operations } from "../../../api/http/bind.ts";
import type { Answered } from "../../../api/http/context.ts";
import { createListCursors } from "../../../api/http/list-cursors.ts";
import type { RequestSlots } from "../../../api/http/request-slots.ts";
import { createAudit } from "../../../base/audit.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { OpenApiDocument } from "../../../contract/openapi-document.ts";
import type { Grant, Scope } from "../../../contract/scopes.ts";
import { type HttpServer, serveHttp } from "../../../deploy/processes/workers/serve-http.ts";
import { type LogLine, recordingLog } from "../../support/recording-log.ts";
import { specSocketFolder } from "../../support/socket-folder.ts";
import { openStores } from "../../support/stores.ts";

export const SYSTEM_KEY = "the system key of these specs";

export type AppOptions = {
  factor?: number;
  redis?: Redis;
  allowedOrigins?: string[];
  trustedProxies?: string[];
  bodyDeadlineMs?: number;
  document?: OpenApiDocument;
  now?: () => number;
  /** Default: as many as in production. */
  slots?: RequestSlots;
  /** Default: none. */
  pages?: NonNullable<AppDeps["pages"]>;
  times?: NonNullable<Parameters<typeof serveHttp>[0]["times"]>;
  openFiles?: NonNullable<Parameters<typeof serveHttp>[0]["openFiles"]>;
  /** Folder of the workers' sockets; default: an empty one. */
  socketFolder?: string;
};

export type OpenedApp = Pick<HttpServer, "port" | "drain" | "sockets"> & {
  baseUrl: string;
  /** The token of a new user's session, which the app accepts as bearer or cookie; with `scopes`, a personal token, or another `kind`. */
  newToken(scopes?: readonly Scope[], kind?: Grant["kind"]): string;
  lines: LogLine[];
  /** Open connections, as the server counts them. */
  connections(): number;
  answered: Answered[];
  close(): Promise<void>;
};

/**
 * The public port as in production, with the spec's own routes: it covers the layer in front of them. Limits are counted in
 * the real Redis.
 */
export async function openApp(
  routes: (operations: Operations) => void,
  options: AppOptions = {},
): Promise<OpenedApp> {
  const stores = await openStores();
  const users = new Map<string, { userId: string; grant: Grant | null }>();
  const lines: LogLine[] = [];
  const answered: Answered[] = [];
  async function authenticate(given: string, via: SignedIn["via"]): Promise<SignedIn> {
    const user = users.get(given);
    if (!user) throw new ServiceError("invalid_token");
    return { kind: "user", ...user, username: "somebody", sessionId: randomUUID(), via };
  }
  const folder = options.socketFolder === undefined ? specSocketFolder() : null;
  const server = await serveHttp({
    host: "127.0.0.1",
    port: 0,
    trustedProxies: options.trustedProxies ?? [],
    socketFolder: options.socketFolder ?? folder?.path ?? "",
    tokens: {
      authenticate,
      authenticateByCookie: ({ access: [first = ""] }) => authenticate(first, "cookie"),
    },
    // Staff operations are covered as well.
    staff: { requireStaff: async () => undefined },
    twoFactor: { requireFresh: async () => undefined },
    redis: options.redis ?? stores.redis,
    log: recordingLog(lines),
    audit: createAudit(recordingLog(lines)),
    systemKeys: { ingest: [SYSTEM_KEY], edge: [SYSTEM_KEY], media: [SYSTEM_KEY], billing: [SYSTEM_KEY] },
    cursorsOf: createListCursors("the master key of these specs"),
    allowedOrigins: options.allowedOrigins ?? [],
    rateLimitFactor: options.factor ?? 1_000,
    checkResponses: true,
    ...(options.bodyDeadlineMs === undefined ? {} : { bodyDeadlineMs: options.bodyDeadlineMs }),
    ...(options.document ? { document: options.document } : {}),
    ...(options.slots ? { slots: options.slots } : {}),
    ...(options.pages ? { pages: options.pages } : {}),
    ...(options.now ? { now: options.now } : {}),
    ...(options.times ? { times: options.times } : {}),
    ...(options.openFiles ? { openFiles: options.openFiles } : {}),
    onAnswered: (answer) => void answered.push(answer),
    routes,
  });
  return {
    ...server,
    baseUrl: `http://127.0.0.1:${server.port}`,
    newToken(scopes, kind = "personal") {
      const token = randomUUID();
      users.set(token, {
        userId: randomUUID(),
        grant: scopes ? { kind, scopes, expiresAt: null } : null,
      });
      return token;
    },
    lines,
    answered,
    connections: () => server.connections(),
    async close() {
      await server.drain({ lingerMs: 0, finishMs: 0, spreadMs: 0 });
      folder?.remove();
      await stores.close();
    },
  };
}
