import type { AccessTokens } from "./access-tokens.ts";
import type { ApiTokens } from "./api-tokens.ts";
import type { SignedIn } from "./caller.ts";
import { TOKEN_PREFIX } from "./secret.ts";

type Via = SignedIn["via"];

/**
 * Resolves a credential to its user, whether or not it has been revoked since. Personal tokens are accepted as a bearer or an
 * API key; access tokens as a bearer or a cookie, never as an API key. Throws invalid_token, account_banned.
 */
export function createCredentials(deps: {
  accessTokens: Pick<AccessTokens, "verify">;
  apiTokens: Pick<ApiTokens, "verify">;
}) {
  const { accessTokens, apiTokens } = deps;

  return async (credential: string, via: Via): Promise<SignedIn> => {
    const isPersonal = via === "api_key" || (via === "bearer" && credential.startsWith(TOKEN_PREFIX));
    if (!isPersonal) return { kind: "user", via, grant: null, ...(await accessTokens.verify(credential)) };
    const { tokenId: sessionId, userId, username, grant } = await apiTokens.verify(credential);
    return { kind: "user", userId, username, sessionId, via, grant };
  };
}
