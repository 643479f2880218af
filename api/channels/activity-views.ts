import { userSummary } from "../../actors/accounts/profile/views.ts";
import { redemptionView } from "../../actors/points/redemption/view.ts";
import type { StreamActivity, UserSummary } from "../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import type { ActivityDoc } from "../../store/mongo/discovery/activity-feed.ts";

type Users = ReadonlyMap<string, UserWithoutSecrets>;

/** Users whom an activity names; not the sender of an anonymous tip. */
export function userIdsIn({ kind, doc }: ActivityDoc): string[] {
  switch (kind) {
    case "follow":
      return [doc.followerId];
    case "subscription":
    case "gift":
      return [doc.payerId, doc.order.kind === "tip" ? null : doc.order.subscriberId].filter(
        (id) => id !== null,
      );
    case "tip":
      return doc.fromUserId === null || doc.isAnonymous ? [] : [doc.fromUserId];
    case "raid":
      return [doc.sourceUserId];
    case "host":
      return [doc._id];
    case "redemption":
      return [doc.redeemerId];
  }
}

export function activityView({ kind, at, doc }: ActivityDoc, users: Users): StreamActivity {
  const of = (key: string, userId: string | null) => ({
    id: `${kind}:${key}`,
    kind,
    created_at: at.toISOString(),
    user: shown(userId, users),
  });
  switch (kind) {
    case "follow":
      return of(doc.followerId, doc.followerId);
    case "subscription":
    case "gift": {
      const { order } = doc;
      if (order.kind === "tip") throw new Error("a tip is no subscription");
      const paid = { ...of(doc._id, doc.payerId), tier: order.tier };
      return kind === "gift" ? { ...paid, receiver: shown(order.subscriberId, users) } : paid;
    }
    case "tip":
      return {
        ...of(doc._id, doc.isAnonymous ? null : doc.fromUserId),
        amount_cents: doc.amountCents,
        currency: doc.currency,
        message: doc.messageState === "shown" ? doc.message : null,
      };
    case "raid":
      return {
        ...of(doc._id, doc.sourceUserId),
        viewer_count: doc.viewerCount,
        message: doc.message,
      };
    case "host":
      return of(doc._id, doc._id);
    case "redemption":
      return {
        ...of(doc._id, doc.redeemerId),
        redemption: redemptionView(doc, users.get(doc.redeemerId)),
      };
  }
}

function shown(userId: string | null, users: Users): UserSummary | null {
  const user = userId === null ? undefined : users.get(userId);
  return user?.status === "active" ? userSummary(user) : null;
}
