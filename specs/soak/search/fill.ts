import type { Document } from "mongodb";
import { newId } from "../../../base/ids.ts";
import { usersCollection } from "../../../store/mongo/accounts/users.ts";
import { streamTitleOf, streamTitlesCollection } from "../../../store/mongo/channels/stream-titles.ts";
import { streamsCollection } from "../../../store/mongo/channels/streams.ts";
import { categoriesCollection } from "../../../store/mongo/discovery/categories.ts";
import { searchableBy } from "../../../store/mongo/driver/searchable.ts";
import { clipsCollection } from "../../../store/mongo/live/clips.ts";
import type { Print } from "../../stress/scenario.ts";
import { clipDoc } from "../../support/clip-doc.ts";
import type { Stores } from "../../support/stores.ts";
import { streamDoc } from "../../support/stream-doc.ts";
import { userDoc } from "../../support/user-doc.ts";
import type { Names } from "./names.ts";

const BATCH = 2_000;
const KEPT = 10_000;

/** A sample: with all of it on the heap, garbage collection would disturb the measurement. */
export type Filled = { names: string[]; titles: string[] };
type Sizes = { users: number; clips: number; categories: number };

/** Every user has a channel with a title; most have few followers, some very many. One in fifty is live. */
export async function fill(
  { mongo: { db } }: Stores,
  { users, clips, categories }: Sizes,
  { names, random, print }: { names: Names; random: () => number; print: Print },
): Promise<Filled> {
  const filled: Filled = { names: [], titles: [] };
  const oneOf = Math.max(1, Math.floor(users / KEPT));
  const write = (name: string, docs: Document[]) =>
    db.collection(name).insertMany(docs, { ordered: false, writeConcern: { w: 1, j: false } });
  await eachBatch(users, async (first, count) => {
    const all = Array.from({ length: count }, (_, n) => {
      const followers = Math.floor(1 / (random() + 1 / users)) - 1;
      const [name, title, isLive] = [names.username(), names.title(), random() < 0.02];
      const user = userDoc({
        username: name,
        usernameTitle: name,
        search: searchableBy(name, "name", followers),
      });
      const stream = streamDoc({ userId: user._id, roomId: first + n, name: title, isLive });
      if ((first + n) % oneOf === 0) {
        filled.names.push(name);
        filled.titles.push(title);
      }
      return { user, stream, title: streamTitleOf(stream, followers) };
    });
    await Promise.all([
      write(
        usersCollection.name,
        all.map(({ user }) => user),
      ),
      write(
        streamsCollection.name,
        all.map(({ stream }) => stream),
      ),
      write(
        streamTitlesCollection.name,
        all.map(({ title }) => title),
      ),
    ]);
    if (first % (50 * BATCH) === 0) print(`${first + count} of ${users} users`);
  });
  const people = await usersCollection
    .in(db)
    .find()
    .limit(1_000)
    .project<{ _id: string }>({ _id: 1 })
    .toArray();
  const person = () => people[Math.floor(random() * people.length)]?._id ?? "";
  await eachBatch(clips, async (_first, count) => {
    const all = Array.from({ length: count }, () => {
      const viewsCount = Math.floor(1 / (random() + 1 / clips)) - 1;
      const title = names.title();
      const search = searchableBy(title, "title", viewsCount);
      return clipDoc({ title, viewsCount, search, channelUserId: person(), userId: person() });
    });
    await write(clipsCollection.name, all);
  });
  await eachBatch(categories, async (first, count) => {
    const all = Array.from({ length: count }, (_, n) => {
      const name = `${names.title()} ${first + n}`;
      const rest = { coverImage: null, parentId: null, tags: [], createdAt: new Date() };
      return { _id: newId(), slug: `c-${first + n}`, name, ...rest, search: searchableBy(name, "title", 0) };
    });
    await write(categoriesCollection.name, all);
  });
  return filled;
}

async function eachBatch(all: number, work: (first: number, count: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < all; first += BATCH) await work(first, Math.min(BATCH, all - first));
}
