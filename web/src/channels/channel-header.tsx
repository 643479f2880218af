import { BadgeCheck } from "lucide";
import { ChannelPayments } from "../billing/channel-payments.tsx";
import { Avatar, nameOf } from "../components/avatar.tsx";
import { Icon } from "../components/icon.tsx";
import { ReportButton } from "../safety/report-button.tsx";
import { type Schemas, to } from "../site/page-data.ts";
import { TEXTS } from "../texts/texts.ts";
import type { BroadcastState } from "./broadcast.ts";
import { Elsewhere } from "./elsewhere.tsx";
import { FollowButton, useStanding } from "./follow-button.tsx";
import { ModerateLink } from "./moderate-link.tsx";
import { OnAir } from "./on-air.tsx";

type Props = { known: Schemas["Channel"]; broadcast: BroadcastState };

/** Who broadcasts, and what. */
export function ChannelHeader({ known, broadcast }: Props) {
  const { profile: user, stream, category } = known;
  const { channel, viewers, followers, player } = TEXTS;
  const standing = useStanding(user);
  const links = Object.entries(user.social_links ?? {}).filter(([, url]) => /^https?:\/\//i.test(url ?? ""));
  return (
    <>
      <div class="channel-header">
        <Avatar user={user} isLarge />
        <div class="who">
          <h1 dir="auto">
            {nameOf(user)}
            {user.is_verified && (
              <span class="verified" title={channel.verified}>
                <Icon of={BadgeCheck} />
                <span class="aloud">{channel.verified}</span>
              </span>
            )}
          </h1>
          <p class="stream-title" dir="auto">
            {stream.name}
          </p>
          <p class="quiet facts">
            {category && <a href={to(`/categories/${category.slug}`)}>{category.name}</a>}
            <span>{followers(user.follower_count ?? 0)}</span>
            {broadcast.isLive.value && (
              <span class="live">{`${player.live} · ${viewers(broadcast.viewers.value)}`}</span>
            )}
            {broadcast.since.value !== null && <OnAir since={broadcast.since.value} />}
          </p>
          {stream.tags.length > 0 && (
            <ul class="tags">
              {stream.tags.map((tag) => (
                <li key={tag} dir="auto">
                  {tag}
                </li>
              ))}
            </ul>
          )}
        </div>
        <div class="acts-of">
          <FollowButton user={user} standing={standing} />
          <ChannelPayments user={user} streamId={stream.id} standing={standing} />
          <ModerateLink user={user} role={standing.data?.role} />
          <ReportButton of={user.id} target={{ type: "stream", id: stream.id, name: nameOf(user) }} />
        </div>
      </div>
      <Elsewhere known={known} isLive={broadcast.isLive.value} />
      <section class="about-channel" aria-label={channel.about}>
        <h2>{channel.about}</h2>
        <p class="bio" dir="auto">
          {user.bio ?? channel.noBio(nameOf(user))}
        </p>
        {links.length > 0 && (
          <ul class="links" aria-label={channel.links}>
            {links.map(([network, url]) => (
              <li key={network}>
                <a href={url} rel="nofollow noopener ugc" target="_blank">
                  {channel.networks[network] ?? <bdi>{brandOf(network)}</bdi>}
                </a>
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

/** Names of services are the same in each language. */
const brandOf = (network: string): string => network.charAt(0).toUpperCase() + network.slice(1);
