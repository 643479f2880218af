import { isModerating, type MemberRole } from "../../actors/channels/channel-roles.ts";
import { inLines } from "../../actors/host/in-lines.ts";
import { redemptionView } from "../../actors/redemption/view.ts";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { DecidedRedemption, Redemption } from "../../specs/contract/wire.ts";
import { REDEMPTION_STATUSES, type RedemptionDoc } from "../../store/mongo/redemptions.ts";
import type { Operations } from "../http/bind.ts";
import { allAs, eachAs } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";
import { noteStaffAct } from "../http/staff-acts.ts";
import { publicState, stateChangeView } from "../http/state-change.ts";

/** In one bulk refund. Refunds of one redeemer meet at one balance, and would only fail each other at once. */
const REDEEMERS_AT_ONCE = 8;

export function redemptionRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const { channels, redemptions, channelRoles, audit, identity } = deps;

  async function viewsOf(docs: RedemptionDoc[]): Promise<Redemption[]> {
    const users = await identity.usersByIds(docs.map(({ redeemerId }) => redeemerId));
    return docs.map((doc) => redemptionView(doc, users.get(doc.redeemerId)));
  }

  bindPage("listRedemptions", async ({ caller, query }, { skip, limit }) => {
    const channel = await channels.requireOf(query.channel_user_id ?? caller.userId);
    if (!isModerating(await channelRoles.roleOf(channel, caller.userId))) throw new ServiceError("forbidden");
    const filter = {
      channelUserId: channel.userId,
      ...(query.status ? { status: query.status } : {}),
      ...(query.reward_id ? { rewardId: query.reward_id } : {}),
    };
    return allAs(redemptions.page(filter, skip, limit), viewsOf);
  });

  bindPage("listMyRedemptions", ({ caller }, { skip, limit }) =>
    allAs(redemptions.pageOfUser(caller.userId, skip, limit), viewsOf),
  );

  bind("fulfilRedemption", async ({ caller, redemption: asked, idempotencyKey }) => {
    const { redemption, redeemer } = await redemptions.fulfil(asked, caller.userId, idempotencyKey);
    return redemptionView(redemption, redeemer);
  });

  bind("refundRedemption", async ({ caller, redemption: asked, idempotencyKey }) => {
    const { redemption, redeemer } = await redemptions.refund(asked, caller.userId, idempotencyKey);
    return redemptionView(redemption, redeemer);
  });

  bind("decideRedemptions", async ({ caller, origin, body: { ids, action } }) => {
    const docs = new Map((await redemptions.findMany(ids)).map((doc) => [doc._id, doc]));
    const roles = new Map<string, Promise<MemberRole>>();
    const roleIn = ({ streamId, channelUserId }: RedemptionDoc) => {
      const role =
        roles.get(streamId) ?? channelRoles.roleOf({ _id: streamId, userId: channelUserId }, caller.userId);
      roles.set(streamId, role);
      return role;
    };

    async function decide(id: string): Promise<DecidedRedemption> {
      const doc = docs.get(id);
      if (!doc) return { id, status: null, error: new ServiceError("not_found").envelope() };
      const role = await roleIn(doc);
      if (!isModerating(role)) return { id, status: null, error: new ServiceError("forbidden").envelope() };
      const named = { redemption_id: id };
      noteStaffAct(audit, role, { operationId: "decideRedemptions", caller, origin, named });
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
    const lines = {
      lineOf: (id: string) => (isRefund && docs.get(id)?.redeemerId) || id,
      atOnce: isRefund ? REDEEMERS_AT_ONCE : ids.length,
    };
    await inLines(ids, lines, async (id) => void decided.set(id, await decide(id)));
    return { items: ids.flatMap((id) => decided.get(id) ?? []) };
  });

  bindPage("getRedemptionHistory", async ({ caller, redemption, role }, { skip, limit }) => {
    const isOwn = caller.userId === redemption.redeemerId;
    if (!isOwn && role !== "owner" && role !== "staff") throw new ServiceError("forbidden");
    return eachAs(redemptions.history(redemption, skip, limit), (change) => {
      const { detail: _none, ...view } = changeView(change);
      // Who decided it, of the channel's people or of staff, is between them.
      const isShown = role === "owner" || role === "staff" || view.by === caller.userId;
      return isShown ? view : { ...view, by: null };
    });
  });
}

const changeView = stateChangeView((path) =>
  publicState(path, { statuses: REDEMPTION_STATUSES, details: [] }),
);
