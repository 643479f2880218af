import { blocksIn } from "../../store/mongo/blocks.ts";
import { CATEGORIES, type CategoryDoc } from "../../store/mongo/categories.ts";
import { CLIPS, type ClipDoc, clipsIn } from "../../store/mongo/clips.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type ListedStream, listedStreamsIn } from "../../store/mongo/listed-streams.ts";
import type { Searchable } from "../../store/mongo/searchable.ts";
import { LIVE_WEIGHT, STREAM_TITLES, type StreamTitleDoc } from "../../store/mongo/stream-titles.ts";
import { USERS, type UserDoc } from "../../store/mongo/users.ts";
import { matchOf } from "../../store/search/match.ts";
import { type SearchText, searchText } from "../../store/search/words.ts";
import type { Identity } from "../identity/identity.ts";
import { inOrder, type Ranked, rankedIn, type Where } from "./ranking.ts";

export const SEARCHED = ["streams", "users", "categories", "clips"] as const;
export type Searched = (typeof SEARCHED)[number];

type Weighed<T> = T & { search: Partial<Searchable> & { weight?: number } };
export type FoundUser = Weighed<Pick<UserDoc, "_id" | "username" | "usernameTitle" | "imageUrl">>;
export type FoundCategory = Weighed<Pick<CategoryDoc, "_id" | "name">>;
type FoundTitle = Weighed<Pick<StreamTitleDoc, "_id" | "userId" | "name" | "isLive">>;
type FoundClip = Weighed<Pick<ClipDoc, "_id" | "title" | "channelUserId" | "userId">>;

export type SearchAnswer = {
  streams: ListedStream[];
  users: FoundUser[];
  categories: FoundCategory[];
  clips: ClipDoc[];
};

const WHERE = {
  users: { source: USERS, kind: "name", textOf: ({ username }) => username } satisfies Where<FoundUser>,
  titles: { source: STREAM_TITLES, kind: "title", textOf: ({ name }) => name } satisfies Where<FoundTitle>,
  clips: { source: CLIPS, kind: "title", textOf: ({ title }) => title } satisfies Where<FoundClip>,
  categories: {
    source: CATEGORIES,
    kind: "title",
    textOf: ({ name }) => name,
  } satisfies Where<FoundCategory>,
} as const;

/** Beyond what is asked for, for those of which nothing is shown: of blocks, and of accounts that were banned or deleted. */
const SPARE = 20;

type Deps = { mongo: Mongo; identity: Pick<Identity, "usersByIds"> };
type Asked = { kinds: readonly Searched[]; limit: number; viewerId: string | null };

export type Search = ReturnType<typeof createSearch>;

export function createSearch({ mongo: { db }, identity }: Deps) {
  const blocks = blocksIn(db);
  const clips = clipsIn(db);
  const streams = listedStreamsIn(db);

  /** By their titles, and those of the channels that are called so. */
  async function streamsFor(
    query: SearchText,
    users: readonly Ranked<FoundUser>[],
    limit: number,
  ): Promise<Ranked<ListedStream>[]> {
    const titles = await rankedIn<FoundTitle>(db, WHERE.titles, query, limit);
    const [byTitle, byOwner] = await Promise.all([
      streams.byIds(titles.map(({ item }) => item._id)),
      streams.ofUsers(users.map(({ item }) => item._id)),
    ]);
    const weights = new Map(titles.map(({ item, weight }) => [item._id, weight]));
    const owners = new Map(users.map((user) => [user.item._id, user]));
    const found = new Map<string, Ranked<ListedStream>>();
    for (const item of byTitle) {
      const match = matchOf(query, item.name);
      if (match !== null) found.set(item._id, { item, match, weight: weights.get(item._id) ?? 0 });
    }
    for (const item of byOwner) {
      const owner = owners.get(item.userId);
      if (!owner) continue;
      const weight = owner.weight + (item.isLive ? LIVE_WEIGHT : 0);
      const byName = { item, match: owner.match, weight };
      const known = found.get(item._id);
      const [first = byName] = inOrder(known ? [known, byName] : [byName]);
      found.set(item._id, first);
    }
    return inOrder([...found.values()]).slice(0, limit);
  }

  async function clipsFor(query: SearchText, limit: number): Promise<ClipDoc[]> {
    const found = await rankedIn<FoundClip>(db, WHERE.clips, query, limit);
    const docs = await clips.findMany(found.map(({ item }) => item._id));
    const byId = new Map(docs.map((doc) => [doc._id, doc]));
    return found
      .flatMap(({ item }) => byId.get(item._id) ?? [])
      .filter((doc) => doc.isListed && matchOf(query, doc.title) !== null);
  }

  /** Of these accounts, those that are shown to that viewer. */
  async function shownAmong(ids: readonly string[], viewerId: string | null): Promise<Set<string>> {
    const distinct = [...new Set(ids)];
    const [users, blocked] = await Promise.all([
      identity.usersByIds(distinct),
      viewerId === null ? new Set<string>() : blocks.eitherWay(viewerId, distinct),
    ]);
    return new Set(distinct.filter((id) => users.get(id)?.status === "active" && !blocked.has(id)));
  }

  /** Nothing for what has neither letter nor digit. */
  return async function search(q: string, { kinds, limit, viewerId }: Asked): Promise<SearchAnswer> {
    const query = searchText(q);
    const most = limit + SPARE;
    const isAsked = (kind: Searched) => query.compact !== "" && kinds.includes(kind);
    const named =
      isAsked("users") || isAsked("streams")
        ? rankedIn<FoundUser>(db, WHERE.users, query, most)
        : Promise.resolve([]);
    const [users, channels, categories, titled] = await Promise.all([
      named,
      isAsked("streams") ? named.then((users) => streamsFor(query, users, most)) : [],
      isAsked("categories") ? rankedIn<FoundCategory>(db, WHERE.categories, query, limit) : [],
      isAsked("clips") ? clipsFor(query, most) : [],
    ]);
    const owners = channels.map(({ item }) => item.userId);
    const people = users.map(({ item }) => item._id);
    const ofClips = titled.flatMap(({ channelUserId, userId }) => [channelUserId, userId]);
    const shown = await shownAmong([...owners, ...people, ...ofClips], viewerId);
    return {
      streams: channels.flatMap(({ item }) => (shown.has(item.userId) ? [item] : [])).slice(0, limit),
      users: isAsked("users")
        ? users.flatMap(({ item }) => (shown.has(item._id) ? [item] : [])).slice(0, limit)
        : [],
      categories: categories.map(({ item }) => item),
      clips: titled
        .filter(({ channelUserId, userId }) => shown.has(channelUserId) && shown.has(userId))
        .slice(0, limit),
    };
  };
}
