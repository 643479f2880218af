import type { components } from "@livecore/client";

type Schemas = components["schemas"];
export type ShownOverlay = Schemas["ShownOverlay"];
export type Settings = Schemas["OverlaySettings"];
export type Alert = Schemas["OverlayAlert"];
export type AlertKind = Schemas["OverlayAlertKind"];
export type OverlayKind = Schemas["OverlayKind"];

export const ALERT_KINDS = ["follow", "subscription", "gift", "tip", "raid"] as const satisfies AlertKind[];
export const OVERLAY_KINDS = ["chat", "alerts", "prediction", "poll"] as const satisfies OverlayKind[];

/** As the service has them for a new overlay. */
export const USUAL: Settings = {
  theme: "dark",
  alert_kinds: [...ALERT_KINDS],
  alert_seconds: 6,
  sound: true,
  volume: 60,
  smallest_tip_cents: 0,
  font_size: 20,
  fade_seconds: 0,
  hides_commands: false,
  hidden_users: [],
};
