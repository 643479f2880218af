import { userSummary } from "../../actors/accounts/profile/views.ts";
import type { Viewer } from "../../actors/accounts/tokens/caller.ts";
import { isModerating } from "../../actors/channels/channel-roles.ts";
import { raidView } from "../../actors/raids/raid/view.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Raid, RaidSettings } from "../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { RaidSettingsDoc } from "../../store/mongo/raids/raid-settings.ts";
import { RAID_STATUSES, type RaidDoc } from "../../store/mongo/raids/raids.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { auditStaffAct } from "../http/staff-acts.ts";
import { publicState, stateChangeView } from "../http/state-change.ts";

export function raidRoutes(
  { bind, bindPage }: Operations,
  { raids, channels, channelRoles, channelAccess, directory, viewerTexts, audit, staffLog }: RouteDeps,
): void {
  async function visibleTo(viewer: Viewer, ownerId: string): Promise<StreamDoc> {
    const channel = await channels.requireOf(ownerId);
    await channelAccess.requireVisible(ownerId, viewer);
    return channel;
  }

  // The body names the channel, so that this isn't checked by the document's rule.
  bind("createRaid", async ({ caller, body, origin }) => {
    const source = await visibleTo(caller, body.source_user_id ?? caller.userId);
    const role = await channelRoles.roleOfCaller(source, caller);
    if (!isModerating(role)) throw new ServiceError("forbidden");
    const { source_user_id, target_user_id } = body;
    const named = { source_user_id, target_user_id };
    await auditStaffAct({ audit, staffLog }, role, { operationId: "createRaid", caller, origin, named });
    const target = await visibleTo(caller, body.target_user_id);
    if (body.message !== undefined) {
      const by = await directory.requireUser(caller.userId);
      await viewerTexts.requireRaidMessage(target, by, { message: body.message, path: "/body/message" });
    }
    const begun = { source, target, message: body.message ?? null, by: caller.userId };
    return raidView(await raids.begin(begun));
  });

  bind("getCurrentRaid", async ({ caller, query }) => {
    const source = await visibleTo(caller, query.source_user_id ?? caller.userId);
    const raid = await raids.openFrom(source._id);
    if (!raid) throw new ServiceError("not_found");
    return raidView(raid);
  });

  bind("startRaid", async ({ caller, raid }) => raidView(await raids.start(raid._id, caller.userId)));

  bind("cancelRaid", async ({ caller, raid }) => raidView(await raids.cancel(raid._id, caller.userId)));

  bind("joinRaid", ({ caller, raid }) => raids.optIn(raid._id, caller.userId));

  bind("leaveRaid", ({ caller, raid }) => raids.optOut(raid._id, caller.userId));

  bindPage("getRaidHistory", ({ raid }, range) =>
    mapPage(raids.history(raid._id, range), stateChangeView(stateOf)),
  );

  bindPage("listMyRaids", ({ caller }, range) => mapPageBatch(raids.page(caller.userId, range), withUsers));

  async function withUsers(docs: RaidDoc[]): Promise<Raid[]> {
    const ids = docs.flatMap(({ sourceUserId, targetUserId }) => [sourceUserId, targetUserId]);
    const users = await directory.usersByIds([...new Set(ids)]);
    return docs.map((doc) => {
      const [source, target] = [doc.sourceUserId, doc.targetUserId].map((id) => users.get(id));
      return {
        ...raidView(doc),
        ...(isThere(source) && { source_user: userSummary(source) }),
        ...(isThere(target) && { target_user: userSummary(target) }),
      };
    });
  }

  bind("getRaidSettings", async ({ caller }) => settingsOf(await raids.settingsOf(caller.userId)));

  bind("setRaidSettings", async ({ caller, body }) => {
    const settings: RaidSettingsDoc = {
      _id: caller.userId,
      acceptFrom: body.accept_from ?? "everyone",
      minFollow: body.min_follow ?? null,
      blockedUserIds: body.blocked_user_ids ?? [],
      hostAfter: body.host_after ?? false,
      shieldOnArrival: body.shield_on_arrival ?? false,
    };
    await raids.setSettings(settings);
    return settingsOf(settings);
  });

  async function settingsOf(settings: RaidSettingsDoc): Promise<RaidSettings> {
    const blocked = await directory.usersInOrder(settings.blockedUserIds);
    return {
      accept_from: settings.acceptFrom,
      min_follow: settings.minFollow,
      blocked_user_ids: settings.blockedUserIds,
      host_after: settings.hostAfter,
      shield_on_arrival: settings.shieldOnArrival,
      blocked_users: blocked.filter(isThere).map(userSummary),
    };
  }
}

/** An account that is being erased isn't shown any more. */
const isThere = (user: UserWithoutSecrets | undefined): user is UserWithoutSecrets =>
  user !== undefined && user.status !== "deleted";

const DETAILS = ["held", "ready", "arriving", "settling"] as const;

const stateOf = (path: string) => publicState(path, { statuses: RAID_STATUSES, details: DETAILS });
