import type { PushDevices } from "../../actors/push/push-devices.ts";
import type { Pushes } from "../../actors/push/pushes.ts";
import type { Operations } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";

export function deviceRoutes(
  { bind, bindPage }: Operations,
  { pushDevices, pushes }: { pushDevices: PushDevices; pushes: Pick<Pushes, "webPushKey"> },
): void {
  bindPage("listDevices", async ({ caller }, range) => sliceOf(await pushDevices.list(caller.userId), range));

  bind("registerDevice", ({ caller, body }) => pushDevices.register(caller, body));

  bind("updateDevice", ({ caller, params, body }) => pushDevices.change(caller, params.device_id, body));

  bind("getWebPushKey", () => ({ public_key: pushes.webPushKey }));

  bind("removeDevice", ({ caller, params }) => pushDevices.remove(caller.userId, params.device_id));
}
