import { channelProfile } from "../../actors/accounts/profile/views.ts";
import { streamView } from "../../actors/channels/view.ts";
import { ServiceError } from "../../contract/errors.ts";
import type { Channel } from "../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../store/mongo/accounts/users.ts";
import { ifFound } from "../http/if-found.ts";
import type { RouteDeps } from "../http/route-deps.ts";

type Deps = Pick<
  RouteDeps,
  "streams" | "follows" | "categories" | "broadcasts" | "hosting" | "schedule" | "predictions" | "polls"
>;

/**
 * What a channel's page shows first, the same for everybody. Nothing of it needs Redis: pages are shown while that is
 * unavailable.
 */
export function createChannelPage(deps: Deps) {
  const { streams, follows, categories, broadcasts, hosting, schedule, predictions, polls } = deps;

  /** Throws `not_found`. */
  return async function channelPage(user: UserWithoutSecrets): Promise<Channel> {
    const stream = await streams.findByUser(user._id);
    if (!stream) throw new ServiceError("not_found");
    const [followerCount, names, broadcast, hosted, [next], prediction, poll] = await Promise.all([
      follows.countFollowers(user._id),
      categories.namesOf([stream]),
      broadcasts.lastOf(stream._id),
      ifFound(hosting.of(user._id)),
      schedule.list(user, {}),
      predictions.openOf(stream._id),
      polls.openOf(stream._id),
    ]);
    return {
      profile: channelProfile(user, followerCount),
      stream: streamView(stream, stream.viewerCount),
      category: (stream.categoryId !== null && names.get(stream.categoryId)) || null,
      broadcast: broadcast && {
        started_at: broadcast.startedAt.toISOString(),
        ended_at: broadcast.endedAt?.toISOString() ?? null,
      },
      hosting: hosted,
      next_broadcast: next ?? null,
      prediction_id: prediction?._id ?? null,
      poll_id: poll?._id ?? null,
    };
  };
}
