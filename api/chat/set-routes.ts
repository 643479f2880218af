import type { SignedIn } from "../../actors/accounts/tokens/caller.ts";
import type { MemberRole } from "../../actors/channels/channel-roles.ts";
import { badgeView } from "../../actors/chat/sets/badge-view.ts";
import { emoteView } from "../../actors/chat/sets/emotes.ts";
import type { ChatSet } from "../../actors/chat/sets/set-changes.ts";
import type { Origin } from "../../base/audit.ts";
import type { StreamDoc } from "../../store/mongo/channels/streams.ts";
import type { Operations } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

/** Takes `role` so that it only compiles for an operation whose document says which role it needs. */
const ofChannel = ({ stream: channel }: { stream: StreamDoc; role: MemberRole }): ChatSet => ({ channel });
const ofStaff = ({ caller, origin }: { caller: SignedIn; origin: Origin }): ChatSet => ({
  staff: { userId: caller.userId, origin },
});
const picture = ({
  rawBody: bytes,
  idempotencyKey: key,
}: {
  rawBody: Buffer;
  idempotencyKey: string | null;
}) => ({
  bytes,
  key,
});
const endOf = (body: { expires_at?: string | null } | undefined) =>
  body?.expires_at ? new Date(body.expires_at) : null;

/** Emotes and badges: those of channels by their owners, those of all rooms by staff. */
export function chatSetRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const { emoteSets, badgeSets, badgeGrants } = deps;

  bindPage("listGlobalEmotes", async (_request, range) =>
    sliceOf((await emoteSets.list(null)).map(emoteView), range),
  );
  bindPage("listChannelEmotes", async ({ stream }, range) =>
    sliceOf((await emoteSets.list(stream.userId)).map(emoteView), range),
  );
  bind("addChannelEmote", async (request) => {
    const { name, min_tier: minTier = 0 } = request.query;
    const emote = { name, minTier: tierFrom(minTier), ...picture(request) };
    return emoteView(await emoteSets.add(ofChannel(request), emote));
  });
  bind("deleteChannelEmote", async (request) => {
    await emoteSets.remove(ofChannel(request), request.params.emote_id);
    return { success: true };
  });
  bind("addGlobalEmote", async (request) => {
    const emote = { name: request.query.name, minTier: 0 as const, ...picture(request) };
    return emoteView(await emoteSets.add(ofStaff(request), emote));
  });
  bind("deleteGlobalEmote", async (request) => {
    await emoteSets.remove(ofStaff(request), request.params.emote_id);
    return { success: true };
  });

  bindPage("listBadges", async (_request, range) =>
    sliceOf([...badgeSets.builtIn, ...(await badgeSets.list(null)).map(badgeView)], range),
  );
  bindPage("listChannelBadges", async ({ stream }, range) =>
    sliceOf((await badgeSets.list(stream.userId)).map(badgeView), range),
  );
  bind("addChannelBadge", async (request) => {
    const { name, color = null } = request.query;
    const badge = { type: "channel" as const, name, color, ...picture(request) };
    return badgeView(await badgeSets.add(ofChannel(request), badge));
  });
  bind("deleteChannelBadge", async (request) => {
    await badgeSets.remove(ofChannel(request), request.params.badge_id);
    return { success: true };
  });
  bind("addGlobalBadge", async (request) => {
    const { name, color = null, type = "global" } = request.query;
    return badgeView(await badgeSets.add(ofStaff(request), { type, name, color, ...picture(request) }));
  });
  bind("deleteGlobalBadge", async (request) => {
    await badgeSets.remove(ofStaff(request), request.params.badge_id);
    return { success: true };
  });

  bind("grantChannelBadge", (request) =>
    badgeGrants.grant(ofChannel(request), grantOf(request.params), endOf(request.body)),
  );
  bind("revokeChannelBadge", async (request) => {
    await badgeGrants.revoke(ofChannel(request), grantOf(request.params));
    return { success: true };
  });
  bind("grantGlobalBadge", (request) =>
    badgeGrants.grant(ofStaff(request), grantOf(request.params), endOf(request.body)),
  );
  bind("revokeGlobalBadge", async (request) => {
    await badgeGrants.revoke(ofStaff(request), grantOf(request.params));
    return { success: true };
  });
  bindPage("listUserBadges", ({ user }, range) => badgeGrants.pageOf(user._id, range));
}

const grantOf = (params: { badge_id: string; user_id: string }) => ({
  badgeId: params.badge_id,
  userId: params.user_id,
});

const TIERS = [0, 1, 2, 3] as const;

function tierFrom(tier: number): (typeof TIERS)[number] {
  const found = TIERS.find((one) => one === tier);
  if (found === undefined) throw new Error("The document has no such tier");
  return found;
}
