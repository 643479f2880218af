import { isUuid } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { Users, UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import type { Renamed, Renames } from "./renames.ts";

/** Other users' accounts, without private fields. A deleted account exists until it is erased, but isn't visible. */
export type Directory = {
  findUser(userId: string): Promise<UserWithoutSecrets | null>;
  /** By id or name; also banned and deleted accounts. */
  requireKnown(idOrName: string): Promise<UserWithoutSecrets>;
  requireUser(userId: string): Promise<UserWithoutSecrets>;
  requireByUsername(username: string): Promise<UserWithoutSecrets>;
  usersByIds(userIds: string[]): Promise<Map<string, UserWithoutSecrets>>;
  /** The existing users, in the order of the ids. */
  usersInOrder(userIds: string[]): Promise<UserWithoutSecrets[]>;
  /** The user's name if it changed recently, else null. */
  newNameOf(userId: string): string | null;
  /** Calls the handler for each rename in the cluster, within some seconds; returns a function that unsubscribes. */
  onRenamed(handler: (renamed: Renamed) => void): () => void;
};

type Deps = { users: Users; renames: Pick<Renames, "find" | "onRenamed"> };

export function createDirectory({ users, renames }: Deps): Directory {
  async function requireExisting(user: Promise<UserWithoutSecrets | null>): Promise<UserWithoutSecrets> {
    const found = await user;
    if (!found || found.status === "deleted") throw new ServiceError("not_found");
    return found;
  }

  async function usersByIds(userIds: string[]): Promise<Map<string, UserWithoutSecrets>> {
    const found = await users.findManyPublic([...new Set(userIds)]);
    return new Map(found.map((user) => [user._id, user]));
  }

  return {
    findUser: (userId) => users.findPublic(userId),
    async requireKnown(idOrName) {
      const found = await (isUuid(idOrName)
        ? users.findPublic(idOrName)
        : users.findPublicByUsername(idOrName.toLowerCase()));
      if (!found) throw new ServiceError("not_found");
      return found;
    },
    requireUser: (userId) => requireExisting(users.findPublic(userId)),
    requireByUsername: (username) => requireExisting(users.findPublicByUsername(username.toLowerCase())),
    usersByIds,
    async usersInOrder(userIds) {
      const found = await usersByIds(userIds);
      return userIds.flatMap((id) => found.get(id) ?? []);
    },
    newNameOf: renames.find,
    onRenamed: renames.onRenamed,
  };
}

/** What a path names by {user_id} or {username}, whatever the account's standing. A user has no roles. */
export async function userResource(
  { directory }: { directory: { requireKnown(idOrName: string): Promise<UserWithoutSecrets> } },
  idOrName: string,
) {
  const user = await directory.requireKnown(idOrName);
  return { thing: user, channel: { _id: null, userId: user._id }, owner: user };
}
