import type { Viewer } from "../../actors/live/viewers/watching.ts";
import { invalid } from "../../contract/errors.ts";
import type { Operations } from "../http/bind.ts";
import type { RouteDeps } from "../http/route-deps.ts";

export function viewerRoutes({ bind }: Operations, { presence, watching }: RouteDeps): void {
  bind("getViewerCount", async ({ stream }) => ({
    viewer_count: await presence.count(stream._id),
  }));

  bind("heartbeat", async ({ caller, body, ip }) => {
    const viewer: Viewer =
      caller.kind === "user" ? { userId: caller.userId } : { deviceId: requireDevice(body.device_id), ip };
    return { viewer_count: await watching.heartbeat(body.stream_id, viewer) };
  });
}

/** Anonymous viewers are distinguished by device. */
function requireDevice(deviceId: string | undefined): string {
  if (deviceId !== undefined) return deviceId;
  throw invalid({ path: "/body/device_id", rule: "required", message: "is required without signing in" });
}
