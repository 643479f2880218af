import type { Caller } from "../../actors/accounts/tokens/caller.ts";
import type { NewLink } from "../../actors/channels/overlays/overlays.ts";
import { overlayView, settingsIn, shownOverlayView } from "../../actors/channels/overlays/view.ts";
import type { CreatedOverlay, OverlayAlert } from "../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { ActivityDoc } from "../../store/mongo/discovery/activity-feed.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { activityView, userIdsIn } from "./activity-views.ts";

export function overlayRoutes(
  { bind, bindPage }: Operations,
  { overlays, directory, clock }: RouteDeps,
): void {
  bindPage("listOverlays", ({ stream }, range) => mapPage(overlays.page(stream, range), overlayView));

  bind("createOverlay", async ({ stream, caller, body, origin }) => {
    const { kind, name, settings } = body;
    return linkView(
      await overlays.create(stream, { kind, name, settings: settingsIn(settings) }, caller, origin),
    );
  });

  bind("renewOverlay", async ({ stream, caller, params, origin }) =>
    linkView(await overlays.renew(stream, params.overlay_id, caller, origin)),
  );

  bind("updateOverlay", async ({ stream, params, body }) => {
    const { name, settings } = body;
    const change = { ...(name === undefined ? {} : { name }), settings: settingsIn(settings) };
    return overlayView(await overlays.update(stream, params.overlay_id, change));
  });

  bind("deleteOverlay", ({ stream, params, origin }) => overlays.remove(stream, params.overlay_id, origin));

  bind("testOverlay", ({ stream, params, body }) => overlays.test(stream, params.overlay_id, body.kind));

  bind("getOverlay", async ({ caller }) => shownOverlayView(await overlays.opened(overlayIdOf(caller))));

  bind("listOverlayAlerts", async ({ caller }) => {
    const found = await overlays.alerts(await overlays.opened(overlayIdOf(caller)));
    const users = await directory.usersByIds(found.flatMap(userIdsIn));
    return {
      server_time: new Date(clock.now()).toISOString(),
      alerts: found.flatMap((one) => alertView(one, users) ?? []),
    };
  });
}

const linkView = ({ token, ...overlay }: NewLink): CreatedOverlay => ({ ...overlayView(overlay), token });

const overlayIdOf = (caller: Caller): string | undefined =>
  caller.kind === "user" ? caller.grant?.overlayId : undefined;

/** Null for what is no alert. */
function alertView(one: ActivityDoc, users: ReadonlyMap<string, UserWithoutSecrets>): OverlayAlert | null {
  const { kind, redemption: _, ...shown } = activityView(one, users);
  return kind === "host" || kind === "redemption" ? null : { ...shown, kind, is_test: false };
}
