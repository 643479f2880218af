import { Bell, BellOff, Heart } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { nameOf } from "../components/avatar.tsx";
import { Icon } from "../components/icon.tsx";
import { useOneAtATime } from "../components/one-at-a-time.ts";
import { signInAddress } from "../components/sign-in-first.tsx";
import type { Schemas } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { type Read, useRead } from "../site/read.ts";
import { client, me } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { TEXTS, type Texts } from "../texts/texts.ts";
import { refreshFollowed } from "./followed.ts";

/** The notifications that the channel is live; null: not followed. */
type Follow = "all" | "none" | null;

type Standing = Read<Schemas["ChannelStanding"]>;
type Named = Pick<Schemas["ChannelProfile"], "id" | "username" | "username_title">;

/** What a change did, said of the channel's name. */
function doneIn(texts: Texts["channel"], before: Follow, to: Follow): (name: string) => string {
  if (to === null) return texts.unfollowed;
  if (before === null) return texts.followed;
  return to === "all" ? texts.rings : texts.isQuiet;
}

/** How the reader stands with a channel; strangers and its owner have none. */
export function useStanding({ id, username }: Pick<Named, "id" | "username">): Standing {
  const reader = me.value;
  return useRead("getMyStanding", reader && reader.id !== id ? { path: { username } } : null);
}

/** For a channel of which nothing else is shown. */
export const FollowAlone = ({ user }: { user: Named }) => (
  <FollowButton user={user} standing={useStanding(user)} />
);

/** Follows a channel, with a bell for its notifications. A change is shown at once, and taken back where it was refused. */
export function FollowButton({ user, standing }: { user: Named; standing: Standing }) {
  const { channel } = TEXTS;
  const reader = me.value;
  const [follow, setFollow] = useState<Follow>(null);
  const { isBusy, run } = useOneAtATime();
  const known = standing.data;
  useEffect(() => setFollow(known?.follow?.notifications ?? null), [known]);
  if (reader === null) {
    return (
      <a class="button" href={signInAddress()}>
        <Icon of={Heart} />
        {channel.follow}
      </a>
    );
  }
  if (!reader || reader.id === user.id) return null;
  const name = nameOf(user);
  const path = { user_id: user.id };
  const change = async (to: Follow): Promise<void> => {
    if (known === undefined) return;
    const before = follow;
    setFollow(to);
    try {
      if (to === null) await client.call("unfollowUser", { path });
      else if (before === null) await client.call("followUser", { path });
      else await client.call("updateFollow", { path, body: { notifications: to } });
      if (to === null || before === null) void refreshFollowed();
      say(doneIn(channel, before, to)(name));
    } catch (err) {
      setFollow(before);
      say(problemOf(err), { isProblem: true });
    }
  };
  const press = (): void => {
    if (known !== undefined) return void run(() => change(isFollowing ? null : "all"));
    // Whether it is followed isn't known: it is being asked, or wasn't told.
    if (standing.problem === null) return;
    say(standing.problem, { isProblem: true });
    standing.again();
  };
  const isFollowing = follow !== null;
  return (
    <>
      <button
        type="button"
        class={isFollowing ? "button quiet" : "button"}
        aria-pressed={isFollowing}
        aria-label={isFollowing ? channel.followingNamed(name) : channel.followNamed(name)}
        aria-disabled={isBusy || (known === undefined && standing.problem === null)}
        onClick={press}
      >
        <Icon of={Heart} />
        {isFollowing ? channel.unfollow : channel.follow}
      </button>
      {isFollowing && (
        <button
          type="button"
          class="button quiet"
          aria-pressed={follow === "all"}
          aria-label={channel.bell(name)}
          aria-disabled={isBusy}
          onClick={() => void run(() => change(follow === "all" ? "none" : "all"))}
        >
          <Icon of={follow === "all" ? Bell : BellOff} />
        </button>
      )}
    </>
  );
}
