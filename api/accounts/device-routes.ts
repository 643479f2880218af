import type { Operations } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function deviceRoutes({ bind, bindPage }: Operations, { pushDevices, pushes }: RouteDeps): void {
  bindPage("listDevices", async ({ caller }, range) => sliceOf(await pushDevices.list(caller.userId), range));

  bind("registerDevice", ({ caller, body }) => pushDevices.register(caller, body));

  bind("updateDevice", ({ caller, params, body }) => pushDevices.change(caller, params.device_id, body));

  bind("getWebPushKey", () => ({ public_key: pushes.webPushKey }));

  bind("removeDevice", ({ caller, params }) => pushDevices.remove(caller.userId, params.device_id));
}
