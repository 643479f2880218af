import { ServiceError } from "../../../contract/errors.ts";
import type { SeoPage } from "../../../contract/wire.ts";
import type { UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import type { Follows } from "../../../store/mongo/channels/follows.ts";
import type { StreamDoc, Streams } from "../../../store/mongo/channels/streams.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import type { Directory } from "../../accounts/public.ts";
import type { CategoryNames, ChannelCategories } from "../../channels/public.ts";
import { createSitemap } from "./sitemap.ts";

/** How many characters of a description search engines show. */
const DESCRIPTION_LENGTH = 160;

type Deps = {
  mongo: Mongo;
  directory: Pick<Directory, "requireByUsername" | "requireKnown">;
  streams: Pick<Streams, "findByUser">;
  follows: Pick<Follows, "countFollowers">;
  categories: Pick<ChannelCategories, "namesOf">;
  publicUrl: string;
  /** The site that titles name. */
  instanceName: string;
};

/** The data of a channel's page. */
type Channel = { user: UserWithoutSecrets; stream: StreamDoc; category: string | null; followers: number };

type ChannelPage = { seo: SeoPage; name: string; bio: string | null; channel: Channel };

/** Metadata of channels for search engines and link previews. */
export function createSeo({
  mongo,
  directory,
  streams,
  follows,
  categories,
  publicUrl,
  instanceName: site,
}: Deps) {
  async function channelOf(user: UserWithoutSecrets, stream: StreamDoc): Promise<Channel> {
    const [names, followers] = await Promise.all([
      categories.namesOf([stream]),
      follows.countFollowers(user._id),
    ]);
    return { user, stream, followers, category: categoryIn(names, stream) };
  }

  async function named(username: string): Promise<{ user: UserWithoutSecrets; stream: StreamDoc }> {
    const user = await directory.requireByUsername(username);
    const stream = user.status === "active" ? await streams.findByUser(user._id) : null;
    if (!stream) throw new ServiceError("not_found");
    return { user, stream };
  }
  const urlOf = ({ username }: UserWithoutSecrets) => `${publicUrl}/${username}`;

  return {
    publicUrl,
    sitemap: createSitemap({ mongo, publicUrl }),

    /** Name and stream only, without the figures for search engines. Throws `not_found`, also for a banned account. */
    async embedded(username: string): Promise<{ name: string; streamId: string }> {
      const { user, stream } = await named(username);
      return { name: user.usernameTitle, streamId: stream._id };
    },

    /** Throws `not_found`, also for a banned account. */
    async ofUser(username: string): Promise<ChannelPage> {
      const { user, stream } = await named(username);
      const channel = await channelOf(user, stream);
      return { seo: pageOf(site, channel, urlOf(user)), name: user.usernameTitle, bio: user.bio, channel };
    },

    async ofStream(stream: StreamDoc): Promise<SeoPage> {
      const user = await directory.requireKnown(stream.userId);
      return streamPageOf(site, await channelOf(user, stream), urlOf(user));
    },
  };
}

export type Seo = ReturnType<typeof createSeo>;

const categoryIn = (names: CategoryNames, { categoryId }: StreamDoc): string | null =>
  categoryId === null ? null : (names.get(categoryId)?.name ?? null);

/** The owner's own SEO texts take precedence. */
function pageOf(site: string, { user, stream, category, followers }: Channel, canonical: string): SeoPage {
  const { usernameTitle: name, seoTags } = user;
  const title = textIn(seoTags.title) ?? `${name} on ${site}`;
  const description = textIn(seoTags.description) ?? shortened(user.bio ?? `${name}'s channel on ${site}.`);
  const image = user.imageUrl ?? user.bannerUrl;
  const person = {
    "@type": "Person",
    name,
    alternateName: user.username,
    url: canonical,
    description,
    ...(image === null ? {} : { image }),
    sameAs: Object.values(user.socialLinks).filter((link) => URL.canParse(link)),
    interactionStatistic: {
      "@type": "InteractionCounter",
      interactionType: "https://schema.org/FollowAction",
      userInteractionCount: followers,
    },
  };
  const profile = { "@type": "ProfilePage", url: canonical, name: title, mainEntity: person };
  const live = stream.isLive ? [videoOf({ user, stream, category, followers }, canonical)] : [];
  return {
    title,
    description,
    canonical,
    keywords: keywordsIn(seoTags.keywords),
    open_graph: openGraph(
      { site, title, description, canonical, image, type: "profile" },
      { "profile:username": user.username },
    ),
    json_ld: { "@context": "https://schema.org", "@graph": [profile, ...live] },
  };
}

function streamPageOf(site: string, channel: Channel, canonical: string): SeoPage {
  const { user, stream, category } = channel;
  const title = `${stream.name} - ${user.usernameTitle} on ${site}`;
  const about = category === null ? "" : ` · ${category}`;
  const description = shortened(
    `${user.usernameTitle}${stream.isLive ? " is live" : " is offline"}${about}. ${user.bio ?? ""}`.trim(),
  );
  const image = stream.thumbnailUrl ?? user.imageUrl;
  const type = stream.isLive ? "video.other" : "website";
  return {
    title,
    description,
    canonical,
    keywords: stream.tags,
    open_graph: openGraph({ site, title, description, canonical, image, type }, {}),
    json_ld: { "@context": "https://schema.org", "@graph": [videoOf(channel, canonical)] },
  };
}

function videoOf({ user, stream, category }: Channel, canonical: string) {
  const since = (stream.liveSince ?? stream.createdAt).toISOString();
  return {
    "@type": "VideoObject",
    name: stream.name,
    url: canonical,
    uploadDate: since,
    isFamilyFriendly: !stream.isMature,
    description: `${user.usernameTitle}: ${stream.name}`,
    ...(stream.thumbnailUrl === null ? {} : { thumbnailUrl: stream.thumbnailUrl }),
    ...(category === null ? {} : { genre: category }),
    ...(stream.language === null ? {} : { inLanguage: stream.language }),
    publication: {
      "@type": "BroadcastEvent",
      name: stream.name,
      isLiveBroadcast: stream.isLive,
      startDate: since,
    },
  };
}

type OpenGraphInput = {
  site: string;
  title: string;
  description: string;
  canonical: string;
  image: string | null;
  type: string;
};

function openGraph(
  { site, title, description, canonical, image, type }: OpenGraphInput,
  more: Record<string, string>,
) {
  return {
    "og:site_name": site,
    "og:type": type,
    "og:title": title,
    "og:description": description,
    "og:url": canonical,
    ...(image === null ? {} : { "og:image": image }),
    "twitter:card": image === null ? "summary" : "summary_large_image",
    ...more,
  };
}

const textIn = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const keywordsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

function shortened(text: string): string {
  const characters = [...text.replaceAll(/\s+/g, " ")];
  return characters.length <= DESCRIPTION_LENGTH
    ? characters.join("")
    : `${characters.slice(0, DESCRIPTION_LENGTH - 1).join("")}…`;
}
