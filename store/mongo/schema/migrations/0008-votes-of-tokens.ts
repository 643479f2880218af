import { apiTokensCollection } from "../../accounts/api-tokens.ts";
import type { Migration } from "./migration.ts";

/**
 * Voting in polls was a part of `chat:send`: tokens that their owners made by name keep it. Tokens for embedded chats, which are valid
 * for hours, never needed it.
 */
export const votesOfTokens: Migration = {
  number: 8,
  name: "votes of tokens",
  contracts: false,
  async run(db) {
    const sends = { scopes: "chat:send" as const, site: { $exists: false }, endedAt: null };
    await apiTokensCollection.in(db).updateMany(sends, { $addToSet: { scopes: "polls:vote" } });
  },
};
