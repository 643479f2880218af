import { isModerating, type MemberRole } from "../../actors/channels/channel-roles.ts";
import { sequentialByKey } from "../../actors/host/sequential-by-key.ts";
import { redemptionView } from "../../actors/points/redemption/view.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { DecidedRedemption, Redemption } from "../../contract/wire.ts";
import { REDEMPTION_STATUSES, type RedemptionDoc } from "../../store/mongo/points/redemptions.ts";
import type { Operations } from "../http/bind.ts";
import { mapPage, mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { auditStaffAct } from "../http/staff-acts.ts";
import { publicState, stateChangeView } from "../http/state-change.ts";

/**
 * Redeemers per bulk refund that are processed concurrently. Refunds of one redeemer change the same balance, and would
 * only conflict with each other if they ran concurrently.
 */
const REDEEMERS_CONCURRENCY = 8;

export function redemptionRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const { channels, redemptions, channelRoles, channelAccess, audit, staffLog, directory } = deps;

  async function viewsOf(docs: RedemptionDoc[]): Promise<Redemption[]> {
    const users = await directory.usersByIds(docs.map(({ redeemerId }) => redeemerId));
    return docs.map((doc) => redemptionView(doc, users.get(doc.redeemerId)));
  }

  bindPage("listRedemptions", async ({ caller, query }, range) => {
    const channel = await channels.requireOf(query.channel_user_id ?? caller.userId);
    await channelAccess.requireVisible(channel.userId, caller);
    const role = await channelRoles.roleOfCaller(channel, caller);
    if (!isModerating(role)) throw new ServiceError("forbidden");
    caller.passedAsStaff ||= role === "staff";
    caller.shownOwnerId = channel.userId;
    const filter = {
      channelUserId: channel.userId,
      ...(query.status ? { status: query.status } : {}),
      ...(query.reward_id ? { rewardId: query.reward_id } : {}),
    };
    return mapPageBatch(redemptions.page(filter, range), viewsOf);
  });

  bindPage("listMyRedemptions", ({ caller, query }, range) =>
    mapPageBatch(redemptions.pageOfUser(caller.userId, query.channel_user_id ?? null, range), viewsOf),
  );

  bind("fulfilRedemption", async ({ caller, redemption: requested, idempotencyKey }) => {
    const { redemption, redeemer } = await redemptions.fulfil(requested, caller.userId, idempotencyKey);
    return redemptionView(redemption, redeemer);
  });

  bind("refundRedemption", async ({ caller, redemption: requested, idempotencyKey }) => {
    const { redemption, redeemer } = await redemptions.refund(requested, caller.userId, idempotencyKey);
    return redemptionView(redemption, redeemer);
  });

  bind("decideRedemptions", async ({ caller, origin, body: { ids, action } }) => {
    const docs = new Map((await redemptions.findMany(ids)).map((doc) => [doc._id, doc]));
    const roles = new Map<string, Promise<MemberRole>>();
    const roleIn = ({ streamId, channelUserId }: RedemptionDoc) => {
      const role =
        roles.get(streamId) ?? channelRoles.roleOfCaller({ _id: streamId, userId: channelUserId }, caller);
      roles.set(streamId, role);
      return role;
    };

    async function decide(id: string): Promise<DecidedRedemption> {
      const doc = docs.get(id);
      if (!doc) return { id, status: null, error: new ServiceError("not_found").envelope() };
      const named = { redemption_id: id };
      try {
        await channelAccess.requireVisible(doc.channelUserId, caller);
        const role = await roleIn(doc);
        if (!isModerating(role)) throw new ServiceError("forbidden");
        const act = { operationId: "decideRedemptions", caller, origin, named };
        await auditStaffAct({ audit, staffLog }, role, act);
      } catch (err) {
        if (!(err instanceof ServiceError)) throw err;
        return { id, status: null, error: err.envelope() };
      }
      try {
        const { redemption } = await redemptions[action](doc, caller.userId);
        return { id, status: redemption.status };
      } catch (err) {
        if (!(err instanceof ServiceError)) throw err;
        const now = await redemptions.require(id).catch(() => doc);
        return { id, status: now.status, error: err.envelope() };
      }
    }

    const decided = new Map<string, DecidedRedemption>();
    const isRefund = action === "refund";
    const bounds = {
      keyOf: (id: string) => (isRefund && docs.get(id)?.redeemerId) || id,
      concurrency: isRefund ? REDEEMERS_CONCURRENCY : ids.length,
    };
    await sequentialByKey(ids, bounds, async (id) => void decided.set(id, await decide(id)));
    return { items: ids.flatMap((id) => decided.get(id) ?? []) };
  });

  bindPage("getRedemptionHistory", async ({ caller, redemption, role }, range) => {
    const isOwn = caller.userId === redemption.redeemerId;
    if (!isOwn && role !== "owner" && role !== "staff") throw new ServiceError("forbidden");
    return mapPage(redemptions.history(redemption, range), (change) => {
      const { detail: _none, ...view } = changeView(change);
      // Which moderator or staff member decided it is internal to the channel and staff.
      const isShown = role === "owner" || role === "staff" || view.by === caller.userId;
      return isShown ? view : { ...view, by: null };
    });
  });
}

const changeView = stateChangeView((path) =>
  publicState(path, { statuses: REDEMPTION_STATUSES, details: [] }),
);
