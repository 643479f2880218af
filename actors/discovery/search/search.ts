import { type SearchText, searchText } from "../../../base/search/words.ts";
import type { CategorySummary } from "../../../contract/wire.ts";
import { USERS, type UserWithoutSecrets } from "../../../store/mongo/accounts/users.ts";
import { blocksIn } from "../../../store/mongo/channels/blocks.ts";
import { LIVE_WEIGHT, STREAM_TITLES } from "../../../store/mongo/channels/stream-titles.ts";
import { CATEGORIES, categoriesIn } from "../../../store/mongo/discovery/categories.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { CLIPS, type ClipDoc, clipsIn } from "../../../store/mongo/live/clips.ts";
import { type ListedStream, listedStreamsIn } from "../../../store/mongo/live/listed-streams.ts";
import type { Directory } from "../../accounts/public.ts";
import { matchOf } from "./match.ts";
import { compareRanks, type Rank, type Ranked, rankedIn, sortedByRank } from "./ranking.ts";

export const SEARCH_KINDS = ["streams", "users", "categories", "clips"] as const;
type ResultKind = (typeof SEARCH_KINDS)[number];

type SearchAnswer = {
  streams: ListedStream[];
  users: UserWithoutSecrets[];
  categories: CategorySummary[];
  clips: ClipDoc[];
};

const SOURCES = {
  users: { source: USERS, kind: "name" },
  titles: { source: STREAM_TITLES, kind: "title" },
  clips: { source: CLIPS, kind: "title" },
  categories: { source: CATEGORIES, kind: "title" },
} as const;

/** How many more than requested are read, since blocked users and banned or deleted accounts are filtered out. */
const SPARE = 20;

type Deps = { mongo: Mongo; directory: Pick<Directory, "usersByIds"> };
type SearchQuery = { kinds: readonly ResultKind[]; limit: number; viewerId: string | null };

export function createSearch({ mongo: { db }, directory }: Deps) {
  const blocks = blocksIn(db);
  const clips = clipsIn(db);
  const streams = listedStreamsIn(db);
  const categoryDocs = categoriesIn(db);

  /** Streams with matching titles, and streams of channels with matching names. */
  async function streamsFor(
    query: SearchText,
    users: readonly Ranked[],
    limit: number,
  ): Promise<ListedStream[]> {
    const titles = await rankedIn(db, SOURCES.titles, query, limit);
    const [byTitle, byOwner] = await Promise.all([
      streams.byIds(titles.map(({ id }) => id)),
      streams.ofUsers(users.map(({ id }) => id)),
    ]);
    const weights = new Map(titles.map(({ id, weight }) => [id, weight]));
    const owners = new Map(users.map((user) => [user.id, user]));
    const found = new Map<string, Rank & { id: string; stream: ListedStream }>();
    for (const stream of [...byTitle, ...byOwner]) {
      const id = stream._id;
      const match = matchOf(query, stream.name);
      const owner = owners.get(stream.userId);
      const ranks: Rank[] = [
        ...(match === null ? [] : [{ match, weight: weights.get(id) ?? 0 }]),
        ...(owner ? [{ match: owner.match, weight: owner.weight + (stream.isLive ? LIVE_WEIGHT : 0) }] : []),
      ];
      const [first] = ranks.sort(compareRanks);
      if (first) found.set(id, { id, stream, ...first });
    }
    return sortedByRank([...found.values()])
      .slice(0, limit)
      .map(({ stream }) => stream);
  }

  async function categoriesFor(query: SearchText, limit: number): Promise<CategorySummary[]> {
    const found = await rankedIn(db, SOURCES.categories, query, limit);
    const docs = await categoryDocs.findMany(found.map(({ id }) => id));
    const slugs = new Map(docs.map(({ _id, slug }) => [_id, slug]));
    return found.flatMap(({ id, text: name }) => {
      const slug = slugs.get(id);
      return slug === undefined ? [] : [{ id, slug, name }];
    });
  }

  async function clipsFor(query: SearchText, limit: number): Promise<ClipDoc[]> {
    const found = await rankedIn(db, SOURCES.clips, query, limit);
    const docs = await clips.findMany(found.map(({ id }) => id));
    const byId = new Map(docs.map((doc) => [doc._id, doc]));
    return found
      .flatMap(({ id }) => byId.get(id) ?? [])
      .filter((doc) => doc.isListed && matchOf(query, doc.title) !== null);
  }

  /** Those of these accounts that the viewer may see. */
  async function shownAmong(
    ids: readonly string[],
    viewerId: string | null,
  ): Promise<Map<string, UserWithoutSecrets>> {
    const distinct = [...new Set(ids)];
    const [users, blocked] = await Promise.all([
      directory.usersByIds(distinct),
      viewerId === null ? new Set<string>() : blocks.eitherWay(viewerId, distinct),
    ]);
    return new Map([...users].filter(([id, { status }]) => status === "active" && !blocked.has(id)));
  }

  /** Returns nothing for a query without letters and digits. */
  return async function search(q: string, { kinds, limit, viewerId }: SearchQuery): Promise<SearchAnswer> {
    const query = searchText(q);
    const most = limit + SPARE;
    const isRequested = (kind: ResultKind) => query.compact !== "" && kinds.includes(kind);
    const named =
      isRequested("users") || isRequested("streams")
        ? rankedIn(db, SOURCES.users, query, most)
        : Promise.resolve([]);
    const [people, channels, categories, titled] = await Promise.all([
      named,
      isRequested("streams") ? named.then((users) => streamsFor(query, users, most)) : [],
      isRequested("categories") ? categoriesFor(query, limit) : [],
      isRequested("clips") ? clipsFor(query, most) : [],
    ]);
    const shown = await shownAmong(
      [
        ...channels.map(({ userId }) => userId),
        ...people.map(({ id }) => id),
        ...titled.flatMap(({ channelUserId, userId }) => [channelUserId, userId]),
      ],
      viewerId,
    );
    const users = isRequested("users") ? people.flatMap(({ id }) => shown.get(id) ?? []) : [];
    return {
      streams: channels.filter(({ userId }) => shown.has(userId)).slice(0, limit),
      users: users.filter(({ username }) => matchOf(query, username) !== null).slice(0, limit),
      categories,
      clips: titled
        .filter(({ channelUserId, userId }) => shown.has(channelUserId) && shown.has(userId))
        .slice(0, limit),
    };
  };
}
