import { blocksIn } from "../../store/mongo/blocks.ts";
import { CATEGORIES } from "../../store/mongo/categories.ts";
import { CLIPS, type ClipDoc, clipsIn } from "../../store/mongo/clips.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type ListedStream, listedStreamsIn } from "../../store/mongo/listed-streams.ts";
import { LIVE_WEIGHT, STREAM_TITLES } from "../../store/mongo/stream-titles.ts";
import { type PublicUserDoc, USERS } from "../../store/mongo/users.ts";
import { matchOf } from "../../store/search/match.ts";
import { type SearchText, searchText } from "../../store/search/words.ts";
import type { Identity } from "../identity/identity.ts";
import { compared, inOrder, type Rank, type Ranked, rankedIn } from "./ranking.ts";

export const SEARCHED = ["streams", "users", "categories", "clips"] as const;
export type Searched = (typeof SEARCHED)[number];

export type SearchAnswer = {
  streams: ListedStream[];
  users: PublicUserDoc[];
  categories: { id: string; name: string }[];
  clips: ClipDoc[];
};

const WHERE = {
  users: { source: USERS, kind: "name" },
  titles: { source: STREAM_TITLES, kind: "title" },
  clips: { source: CLIPS, kind: "title" },
  categories: { source: CATEGORIES, kind: "title" },
} as const;

/** Beyond what is asked for, for those of which nothing is shown: of blocks, and of accounts that were banned or deleted. */
const SPARE = 20;

type Deps = { mongo: Mongo; identity: Pick<Identity, "usersByIds"> };
type Asked = { kinds: readonly Searched[]; limit: number; viewerId: string | null };

export function createSearch({ mongo: { db }, identity }: Deps) {
  const blocks = blocksIn(db);
  const clips = clipsIn(db);
  const streams = listedStreamsIn(db);

  /** By their titles, and those of the channels that are called so. */
  async function streamsFor(
    query: SearchText,
    users: readonly Ranked[],
    limit: number,
  ): Promise<ListedStream[]> {
    const titles = await rankedIn(db, WHERE.titles, query, limit);
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
      const [first] = ranks.sort(compared);
      if (first) found.set(id, { id, stream, ...first });
    }
    return inOrder([...found.values()])
      .slice(0, limit)
      .map(({ stream }) => stream);
  }

  async function clipsFor(query: SearchText, limit: number): Promise<ClipDoc[]> {
    const found = await rankedIn(db, WHERE.clips, query, limit);
    const docs = await clips.findMany(found.map(({ id }) => id));
    const byId = new Map(docs.map((doc) => [doc._id, doc]));
    return found
      .flatMap(({ id }) => byId.get(id) ?? [])
      .filter((doc) => doc.isListed && matchOf(query, doc.title) !== null);
  }

  /** Of these accounts, those that are shown to that viewer. */
  async function shownAmong(
    ids: readonly string[],
    viewerId: string | null,
  ): Promise<Map<string, PublicUserDoc>> {
    const distinct = [...new Set(ids)];
    const [users, blocked] = await Promise.all([
      identity.usersByIds(distinct),
      viewerId === null ? new Set<string>() : blocks.eitherWay(viewerId, distinct),
    ]);
    return new Map([...users].filter(([id, { status }]) => status === "active" && !blocked.has(id)));
  }

  /** Nothing for what has neither letter nor digit. */
  return async function search(q: string, { kinds, limit, viewerId }: Asked): Promise<SearchAnswer> {
    const query = searchText(q);
    const most = limit + SPARE;
    const isAsked = (kind: Searched) => query.compact !== "" && kinds.includes(kind);
    const named =
      isAsked("users") || isAsked("streams") ? rankedIn(db, WHERE.users, query, most) : Promise.resolve([]);
    const [people, channels, categories, titled] = await Promise.all([
      named,
      isAsked("streams") ? named.then((users) => streamsFor(query, users, most)) : [],
      isAsked("categories") ? rankedIn(db, WHERE.categories, query, limit) : [],
      isAsked("clips") ? clipsFor(query, most) : [],
    ]);
    const shown = await shownAmong(
      [
        ...channels.map(({ userId }) => userId),
        ...people.map(({ id }) => id),
        ...titled.flatMap(({ channelUserId, userId }) => [channelUserId, userId]),
      ],
      viewerId,
    );
    const users = isAsked("users") ? people.flatMap(({ id }) => shown.get(id) ?? []) : [];
    return {
      streams: channels.filter(({ userId }) => shown.has(userId)).slice(0, limit),
      users: users.filter(({ username }) => matchOf(query, username) !== null).slice(0, limit),
      categories: categories.map(({ id, text: name }) => ({ id, name })),
      clips: titled
        .filter(({ channelUserId, userId }) => shown.has(channelUserId) && shown.has(userId))
        .slice(0, limit),
    };
  };
}
