import { ServiceError } from "../../specs/contract/errors.ts";
import { isUuid } from "../../store/ids.ts";
import type { Users, UserWithoutSecrets } from "../../store/mongo/users.ts";
import type { Identity } from "./identity-types.ts";

/** Other users' accounts, without private fields. A deleted account exists until it is erased, but isn't visible. */
export function createDirectory(
  users: Users,
): Pick<
  Identity,
  "findUser" | "requireKnown" | "requireUser" | "requireByUsername" | "usersByIds" | "usersInOrder"
> {
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
  };
}
