import { userSummary } from "../../actors/accounts/profile/views.ts";
import type { AutoHostList } from "../../contract/wire.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function hostingRoutes({ bind }: Operations, { hosting, directory }: RouteDeps): void {
  bind("hostChannel", ({ caller, body }) => hosting.host(caller.userId, body.target_user_id));

  bind("unhostChannel", ({ caller }) => hosting.unhost(caller.userId));

  bind("getHosting", ({ user }) => hosting.of(user._id));

  bind("getAutoHost", async ({ caller }) => listOf(await hosting.autoHostOf(caller.userId)));

  bind("setAutoHost", async ({ caller, body }) => {
    await hosting.setAutoHost(caller.userId, body.user_ids);
    return listOf(body.user_ids);
  });

  const listOf = async (ids: string[]): Promise<AutoHostList> => ({
    user_ids: ids,
    users: (await directory.usersInOrder(ids)).filter(({ status }) => status !== "deleted").map(userSummary),
  });
}
