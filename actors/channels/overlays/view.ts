import { newId } from "../../../base/ids.ts";
import type { OverlayAlert, ShownOverlay, Overlay as WireOverlay } from "../../../contract/wire.ts";
import type {
  OverlayAlertKind,
  OverlayDoc,
  OverlaySettings,
} from "../../../store/mongo/channels/overlays.ts";

/** An overlay, and when its link was last used; null without a link that works. */
export type Overlay = { doc: OverlayDoc; link: { lastUsedAt: Date | null } | null };

type WireSettings = WireOverlay["settings"];

const settingsView = (settings: OverlaySettings): WireSettings => ({
  theme: settings.theme,
  alert_kinds: settings.alertKinds,
  alert_seconds: settings.alertSeconds,
  sound: settings.sound,
  volume: settings.volume,
  smallest_tip_cents: settings.smallestTipCents,
  font_size: settings.fontSize,
  fade_seconds: settings.fadeSeconds,
  hides_commands: settings.hidesCommands,
  hidden_users: settings.hiddenUsers,
});

/** The settings that a request has, without those that it leaves out. */
export function settingsIn(wire: Partial<WireSettings> = {}): Partial<OverlaySettings> {
  const { theme, alert_kinds: alertKinds, alert_seconds: alertSeconds, sound, volume } = wire;
  const { smallest_tip_cents: smallestTipCents, font_size: fontSize, fade_seconds: fadeSeconds } = wire;
  const { hides_commands: hidesCommands, hidden_users: hiddenUsers } = wire;
  return {
    ...(theme === undefined ? {} : { theme }),
    ...(alertKinds === undefined ? {} : { alertKinds }),
    ...(alertSeconds === undefined ? {} : { alertSeconds }),
    ...(sound === undefined ? {} : { sound }),
    ...(volume === undefined ? {} : { volume }),
    ...(smallestTipCents === undefined ? {} : { smallestTipCents }),
    ...(fontSize === undefined ? {} : { fontSize }),
    ...(fadeSeconds === undefined ? {} : { fadeSeconds }),
    ...(hidesCommands === undefined ? {} : { hidesCommands }),
    ...(hiddenUsers === undefined ? {} : { hiddenUsers }),
  };
}

export const overlayView = ({ doc, link }: Overlay): WireOverlay => ({
  id: doc._id,
  stream_id: doc.streamId,
  kind: doc.kind,
  name: doc.name,
  settings: settingsView(doc.settings),
  has_link: link !== null,
  last_used_at: link?.lastUsedAt?.toISOString() ?? null,
  created_at: doc.createdAt.toISOString(),
});

/** What the overlay itself reads. */
export const shownOverlayView = ({ _id: id, streamId, kind, settings }: OverlayDoc): ShownOverlay => ({
  id,
  stream_id: streamId,
  kind,
  settings: settingsView(settings),
});

const SAMPLES: Record<OverlayAlertKind, Partial<OverlayAlert>> = {
  follow: {},
  subscription: { tier: 2 },
  gift: { tier: 1, receiver: madeUpUser("Grace") },
  tip: { amount_cents: 500, currency: "USD", message: "Great stream, keep going!" },
  raid: { viewer_count: 42, message: "Hello from our evening!" },
};

/** An alert to try an overlay with. Its users have no account. */
export const madeUpAlert = (kind: OverlayAlertKind, at: Date): OverlayAlert => ({
  id: `test:${newId()}`,
  kind,
  created_at: at.toISOString(),
  user: madeUpUser("Ada"),
  is_test: true,
  ...SAMPLES[kind],
});

function madeUpUser(name: string) {
  const id = "00000000-0000-7000-8000-000000000000";
  return { id, username: name.toLowerCase(), username_title: name, image_url: null };
}
