import type { AccountParts } from "../../actors/accounts/accounts.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { ApiToken } from "../../contract/wire.ts";
import type { ApiTokenDoc } from "../../store/mongo/accounts/api-tokens.ts";
import type { Operations } from "../http/bind.ts";
import type { OperationRequest } from "../http/operation-types.ts";
import { mapPage, type Range } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

/** Each handler is bound twice: /v1/tokens is the same resource as /v1/auth/tokens. */
export function tokenRoutes(
  { bind, bindPage }: Operations,
  { apiTokens, channels, channelAccess }: RouteDeps & Pick<AccountParts, "apiTokens">,
): void {
  const list = ({ caller }: OperationRequest<"listApiTokens">, range: Range) =>
    mapPage(apiTokens.page(caller.userId, range), tokenView);

  async function create({ caller, body, origin }: OperationRequest<"createApiToken">) {
    const { name, scopes = [], expires_at: expiry = null } = body;
    const expiresAt = expiry === null ? null : new Date(expiry);
    const { doc, token } = await apiTokens.create({ name, scopes, expiresAt }, caller, origin);
    return { ...tokenView(doc), token };
  }

  const remove = ({ caller, params, origin }: OperationRequest<"deleteApiToken">) =>
    apiTokens.remove(params.token_id, caller.userId, origin);

  bindPage("listApiTokens", list);
  bindPage("listTokens", list);
  bind("createApiToken", create);
  bind("createToken", create);
  bind("createChatToken", async ({ caller, body, origin }) => {
    const { site, stream_id: streamId, user_id: agreedBy } = body;
    // A cookie's session may have become another account's since its user was asked.
    if (agreedBy !== undefined && agreedBy.toLowerCase() !== caller.userId)
      throw new ServiceError("invalid_state");
    if (streamId !== undefined) {
      const { userId: ownerId } = await channels.require(streamId);
      await channelAccess.requireVisible(ownerId, caller);
    }
    const embed = { site, ...(streamId === undefined ? {} : { streamId }) };
    const { doc, token } = await apiTokens.createForEmbed(embed, caller, origin);
    return { ...tokenView(doc), token };
  });
  // Of a token, its session's id is its own.
  bind("endChatToken", ({ caller, origin }) => apiTokens.remove(caller.sessionId, caller.userId, origin));
  bind("deleteApiToken", remove);
  bind("deleteToken", remove);
}

const tokenView = (doc: ApiTokenDoc): ApiToken => ({
  id: doc._id,
  name: doc.name,
  prefix: doc.prefix,
  scopes: doc.scopes,
  ...(doc.site === undefined ? {} : { site: doc.site }),
  ...(doc.streamId === undefined ? {} : { stream_id: doc.streamId }),
  expires_at: doc.expiresAt?.toISOString() ?? null,
  ...(doc.lastUsedAt === null ? {} : { last_used_at: doc.lastUsedAt.toISOString() }),
  created_at: doc.createdAt.toISOString(),
});
