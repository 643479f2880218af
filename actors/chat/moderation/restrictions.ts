import type { RoomRestriction } from "../../../contract/wire.ts";
import { type UserWithoutSecrets, usersIn } from "../../../store/mongo/accounts/users.ts";
import type { ChatBanDoc } from "../../../store/mongo/chat/chat-bans.ts";
import type { Page, Range } from "../../../store/mongo/driver/page.ts";
import type { FeatureDeps } from "../../features/deps.ts";
import { actorSummary } from "./action-view.ts";

/** Users whose name begins as asked, of whom the bans are looked up. */
const MOST_NAMED = 500;

type Asked = { streamId: string; type: "ban" | "timeout"; username: string | null };

/** A room's bans and timeouts, as its moderators see them. */
export function createRestrictions({
  mongo,
  chatBans,
  directory,
  clock,
}: Pick<FeatureDeps, "mongo" | "chatBans" | "directory" | "clock">) {
  const users = usersIn(mongo.db);

  async function named(prefix: string, { streamId, type }: Asked, now: Date): Promise<ChatBanDoc[]> {
    const ids = await users.idsByPrefix(prefix.toLowerCase(), MOST_NAMED);
    const found = await chatBans.restrictionsOf(streamId, ids, type === "ban" ? null : now);
    return found.toSorted(type === "ban" ? (a, b) => +b.createdAt - +a.createdAt : endsFirst);
  }

  async function found(asked: Asked, range: Range): Promise<Page<ChatBanDoc>> {
    const { streamId, type, username } = asked;
    const now = new Date(clock.now());
    if (username !== null) {
      const all = await named(username, asked, now);
      return { items: all.slice(range.skip, range.skip + range.limit), total: all.length };
    }
    return type === "ban"
      ? chatBans.newestBansPage(streamId, range)
      : chatBans.timeoutsPage(streamId, now, range);
  }

  return {
    /** Bans newest first; timeouts in force, the one that ends next first. `username`: how the name begins. */
    async page(asked: Asked, range: Range): Promise<Page<RoomRestriction>> {
      const { items, total } = await found(asked, range);
      const people = await directory.usersByIds(items.flatMap(({ userId, by }) => [userId, by]));
      return { items: items.map((ban) => viewOf(ban, people)), total };
    },
  };
}

function viewOf(ban: ChatBanDoc, people: ReadonlyMap<string, UserWithoutSecrets>): RoomRestriction {
  return {
    user: actorSummary(ban.userId, people),
    type: ban.until === null ? "ban" : "timeout",
    reason: ban.reason,
    by: actorSummary(ban.by, people),
    created_at: ban.createdAt.toISOString(),
    expires_at: ban.until?.toISOString() ?? null,
  };
}

const endsFirst = (a: ChatBanDoc, b: ChatBanDoc): number => Number(a.until) - Number(b.until);
