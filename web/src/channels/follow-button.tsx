import { Heart } from "lucide";
import { useState } from "preact/hooks";
import { signInAddress } from "../accounts/sign-in-first.tsx";
import { nameOf } from "../components/avatar.tsx";
import { Icon } from "../components/icon.tsx";
import type { Schemas } from "../site/page-data.ts";
import { problemOf } from "../site/problems.ts";
import { client, me } from "../site/session.ts";
import { say } from "../site/toasts.ts";
import { TEXTS } from "../texts/texts.ts";
import { refreshFollowed } from "./followed.ts";

/** Shows the change at once, and takes it back with the reason where it was refused. */
export function FollowButton({ user }: { user: Schemas["PublicProfile"] }) {
  const [isFollowing, setFollowing] = useState(user.is_following ?? false);
  const [isBusy, setBusy] = useState(false);
  const { channel } = TEXTS;
  const name = nameOf(user);
  if (me.value === null) {
    return (
      <a class="button" href={signInAddress()}>
        <Icon of={Heart} />
        {channel.follow}
      </a>
    );
  }
  if (me.value?.id === user.id) return null;
  const change = async (): Promise<void> => {
    const wanted = !isFollowing;
    setFollowing(wanted);
    setBusy(true);
    try {
      await client.call(wanted ? "followUser" : "unfollowUser", { path: { user_id: user.id } });
      if (wanted) say(channel.nowFollowing(name));
      void refreshFollowed();
    } catch (err) {
      setFollowing(!wanted);
      say(problemOf(err), { isProblem: true });
    }
    setBusy(false);
  };
  return (
    <button
      type="button"
      class={isFollowing ? "button quiet" : "button"}
      aria-pressed={isFollowing}
      aria-label={isFollowing ? channel.unfollowNamed(name) : channel.followNamed(name)}
      disabled={isBusy}
      onClick={() => void change()}
    >
      <Icon of={Heart} />
      {isFollowing ? channel.unfollow : channel.follow}
    </button>
  );
}
