import type { AccountParts } from "../../actors/accounts/accounts.ts";
import {
  type AppVersions,
  isOlder,
  type Platform,
  versionFrom,
} from "../../actors/accounts/apps/versions.ts";
import { readAsyncApi } from "../../contract/asyncapi-document.ts";
import { unavailable } from "../../contract/errors.ts";
import { readOpenApi } from "../../contract/openapi-document.ts";
import type { Operations } from "../http/bind.ts";

type Deps = Pick<AccountParts, "tokens"> & {
  /** Whether every part of the service is running; if one is missing, the service isn't up. */
  isComplete: () => boolean;
  /** What this host can serve. */
  serving: () => { rest: boolean; sockets: boolean };
  apps: Record<Platform, AppVersions>;
};

/** About as long as it takes to replace a process that died. */
const RETRY_MS = 2_000;

export function systemRoutes({ bind }: Operations, { tokens, isComplete, serving, apps }: Deps): void {
  const document = readOpenApi();
  const socketDocument = readAsyncApi();
  const okIf = (isOk: boolean) => {
    if (!isOk) throw unavailable({ retryAfterMs: RETRY_MS });
    return { status: "ok" };
  };
  bind("getHealth", () => okIf(isComplete()));
  bind("getLiveness", () => okIf(true));
  bind("getServing", () => okIf(serving().rest && serving().sockets));
  bind("getRestServing", () => okIf(serving().rest));
  bind("getSocketsServing", () => okIf(serving().sockets));
  bind("getOpenApi", () => ({ ...document }));
  bind("getAsyncApi", () => ({ ...socketDocument }));
  bind("getMinVersion", ({ query: { platform, version } }) => {
    const { oldest, latest } = apps[platform];
    return {
      min_version: oldest.join("."),
      latest_version: latest.join("."),
      update_required: version !== undefined && isOlder(versionFrom(version), oldest),
    };
  });
  bind("getJwks", () => tokens.jwks());
}
