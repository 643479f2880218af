import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function hostingRoutes({ bind }: Operations, { hosting }: RouteDeps): void {
  bind("hostChannel", ({ caller, body }) => hosting.host(caller.userId, body.target_user_id));

  bind("unhostChannel", ({ caller }) => hosting.unhost(caller.userId));

  bind("getHosting", ({ user }) => hosting.of(user._id));

  bind("getAutoHost", async ({ caller }) => ({ user_ids: await hosting.autoHostOf(caller.userId) }));

  bind("setAutoHost", async ({ caller, body }) => {
    await hosting.setAutoHost(caller.userId, body.user_ids);
    return { user_ids: body.user_ids };
  });
}
