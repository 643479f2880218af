import type { AccountParts } from "../../actors/accounts/accounts.ts";
import type { OriginOf } from "../../actors/accounts/profile/origins.ts";
import type { ProfileChange } from "../../actors/accounts/profile/profile-changes.ts";
import {
  ownEmailView,
  ownUserView,
  publicProfile,
  sessionView,
} from "../../actors/accounts/profile/views.ts";
import { streamSummary } from "../../actors/channels/view.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { UserUpdate } from "../../contract/wire.ts";
import type { Operations } from "../http/bind.ts";
import { sliceOf } from "../http/pagination.ts";
import type { RouteDeps } from "../http/route-deps.ts";

function profileChange(body: UserUpdate): ProfileChange {
  const { username_title, social_links, image_url, banner_url, ...rest } = body;
  // Doesn't compile while a field with an underscore is missing here.
  const others: Pick<ProfileChange, keyof typeof rest> = rest;
  return {
    ...others,
    ...(username_title === undefined ? {} : { usernameTitle: username_title }),
    ...(social_links === undefined ? {} : { socialLinks: social_links }),
    ...(image_url === undefined ? {} : { imageUrl: image_url }),
    ...(banner_url === undefined ? {} : { bannerUrl: banner_url }),
  };
}

export function userRoutes(
  { bind, bindPage }: Operations,
  {
    profile,
    sessions,
    streams,
    follows,
    categories,
    originOf,
  }: RouteDeps & Pick<AccountParts, "profile" | "sessions"> & { originOf: OriginOf },
): void {
  bind("getMe", async ({ caller }) => ownUserView(await profile.me(caller)));

  bind("updateMe", async ({ caller, body, origin }) =>
    ownUserView(await profile.updateMe(caller, profileChange(body), origin)),
  );

  bind("getMyEmail", async ({ caller }) => {
    // The account first: an address that has just replaced it isn't pending any more.
    const user = await profile.me(caller);
    return ownEmailView(user, await profile.pendingEmail(caller));
  });

  bindPage("listSessions", async ({ caller }, range) => {
    const all = await sessions.list(caller.userId);
    return sliceOf(
      all.map((session) => sessionView(session, caller.sessionId, originOf)),
      range,
    );
  });

  bind("endSessions", ({ caller, query, origin }) =>
    sessions.endOthers(caller, origin, { endsTokens: query.tokens ?? false }),
  );
  bind("endSession", ({ caller, params, origin }) => sessions.end(caller, params.session_id, origin));

  bind("getPublicProfile", async ({ caller, user }) => {
    const [stream, followerCount, follow] = await Promise.all([
      streams.findByUser(user._id),
      follows.countFollowers(user._id),
      caller.kind === "user" ? follows.find(caller.userId, user._id) : null,
    ]);
    if (!stream) throw new ServiceError("not_found");
    return publicProfile(user, {
      followerCount,
      isFollowing: follow !== null,
      // The last count, not the live one: a profile is also shown while Redis is unavailable.
      stream: streamSummary(stream, stream.viewerCount, await categories.namesOf([stream])),
    });
  });
}
