import type { TargetedAction } from "../../actors/chat/moderation/roles-and-bans.ts";
import type { Origin } from "../../base/audit.ts";
import type { RoomMember } from "../../contract/wire.ts";
import type { UserDoc } from "../../store/mongo/accounts/users.ts";
import type { Operations } from "../http/bind.ts";
import { mapPageBatch } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

type OnUser = {
  params: { stream_id: string; user_id: string };
  caller: { userId: string };
  origin: Origin;
};

const done = { success: true };

/** Bans, timeouts, moderators and VIPs of a room. */
export function roleAndBanRoutes({ bind, bindPage }: Operations, deps: RouteDeps): void {
  const { grantedRoles, chatBans, directory, moderation, restrictions } = deps;

  bindPage("listBans", ({ stream }, range) =>
    mapPageBatch(chatBans.banPage(stream._id, range), (bans) =>
      usersOf(bans, (status) => status !== "deleted"),
    ),
  );

  bindPage("listRestrictions", ({ stream, query: { type = "ban", username = null } }, range) =>
    restrictions.page({ streamId: stream._id, type, username }, range),
  );

  bind("banUser", async ({ caller, params, body, origin }) => {
    await moderation.ban(actOf({ caller, params, origin }), body?.reason ?? null);
    return done;
  });

  bind("unbanUser", async ({ caller, params, origin }) => {
    await moderation.unban(actOf({ caller, params, origin }));
    return done;
  });

  bind("timeoutUser", async ({ caller, params, body, origin }) => {
    await moderation.timeout(actOf({ caller, params, origin }), body.duration_seconds, body.reason ?? null);
    return done;
  });

  bind("untimeoutUser", async ({ caller, params, origin }) => {
    await moderation.untimeout(actOf({ caller, params, origin }));
    return done;
  });

  bindPage("listModerators", ({ stream }, range) =>
    mapPageBatch(grantedRoles.rolePage(stream._id, "moderator", range), members),
  );

  bind("addModerator", async ({ caller, params, origin }) => {
    await moderation.addRole(actOf({ caller, params, origin }), "moderator");
    return done;
  });

  bind("removeModerator", async ({ caller, params, origin }) => {
    await moderation.removeRole(actOf({ caller, params, origin }), "moderator");
    return done;
  });

  bindPage("listVips", ({ stream }, range) =>
    mapPageBatch(grantedRoles.rolePage(stream._id, "vip", range), members),
  );

  bind("addVip", async ({ caller, params, origin }) => {
    await moderation.addRole(actOf({ caller, params, origin }), "vip");
    return done;
  });

  bind("removeVip", async ({ caller, params, origin }) => {
    await moderation.removeRole(actOf({ caller, params, origin }), "vip");
    return done;
  });

  const members = (found: { userId: string }[]) => usersOf(found, (status) => status === "active");

  /** Accounts whose standing isn't shown are counted all the same. */
  async function usersOf(
    found: { userId: string }[],
    shows: (status: UserDoc["status"]) => boolean,
  ): Promise<RoomMember[]> {
    const users = await directory.usersInOrder(found.map(({ userId }) => userId));
    return users.filter(({ status }) => shows(status)).map(({ _id: id, username }) => ({ id, username }));
  }
}

function actOf({ params, caller, origin }: OnUser): TargetedAction {
  return { streamId: params.stream_id, targetId: params.user_id, by: caller.userId, origin };
}
