/**
 * Pictures of accounts, emotes and badges, and their files:
 * 1. a row names the file that will be, `pending` for an hour; 2. the file is put into the store; 3. one transaction shows it and
 * drops the one before it; 4. a sweep removes what was dropped, and what never came to be shown, first the file and then its row.
 * So a file without a row comes only of a database that was set back, or of an upload that took hours: `sweepOrphans` finds those.
 * No name is ever used twice, so what is removed under one, however late, is nothing that is shown.
 */
import { randomBytes } from "node:crypto";
import type { ClientSession } from "mongodb";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { within } from "../../store/deadline.ts";
import type { FileStore } from "../../store/files/file-store.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type AccountPicture, type FileDoc, type FileKind, filesIn } from "../../store/mongo/files.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { type UserDoc, usersIn } from "../../store/mongo/users.ts";
import { pictureOf, tooSlow } from "./image.ts";

/** Pictures that are made at a time in one process, and how many may wait. */
const AT_ONCE = 2;
const MOST_WAITING = 10;
const RETRY_MS = 2_000;
/** So long one is waited for once its turn has come; its place is free when the library is done with it. */
const DEADLINE_MS = 10_000;

const PENDING_MS = 3_600_000;
/** Somebody may have the page open that shows it. */
const SHOWN_STILL_MS = 3_600_000;
/** Of one sweep; more are left to the next. */
const BATCH = 100;
/** Younger files may have a row that isn't seen yet. */
const ORPHAN_AGE_MS = 24 * 3_600_000;
/** Before a file that couldn't be removed is tried again. */
const REMOVE_AGAIN_MS = 10 * 60_000;

const FIELD = { avatar: "imageUrl", banner: "bannerUrl" } as const satisfies Record<
  AccountPicture,
  keyof UserDoc
>;

/** Its name in the file store, and where it is served. */
export type Picture = { file: string; url: string };

type Deps = {
  mongo: Mongo;
  files: FileStore;
  publicUrl: string;
  clock: Clock;
  log: Log;
  /** In specs. */
  deadlineMs?: number;
};

export type Pictures = ReturnType<typeof createPictures>;

export function createPictures({
  mongo,
  files: store,
  publicUrl,
  clock,
  log,
  deadlineMs = DEADLINE_MS,
}: Deps) {
  const users = usersIn(mongo.db);
  const files = filesIn(mongo.db);
  const inTurn = createTurns(deadlineMs);

  async function begin(userId: string | null, kind: FileKind): Promise<string> {
    const _id = `${randomBytes(32).toString("hex")}.webp`;
    const [createdAt, dueAt] = [new Date(clock.now()), new Date(clock.now() + PENDING_MS)];
    await files.begin({ _id, userId, kind, state: "pending", createdAt, dueAt });
    return _id;
  }

  async function remove(file: FileDoc): Promise<void> {
    if (!(await files.beginRemoval(file))) return;
    try {
      await store.remove(file._id);
    } catch (err) {
      log.error({ err, file: file._id }, "a picture couldn't be removed; it is tried again");
      return files.removeLater(file._id, new Date(clock.now() + REMOVE_AGAIN_MS));
    }
    await files.removed(file._id);
  }

  async function put(userId: string | null, kind: FileKind, uploaded: Buffer): Promise<Picture> {
    const picture = await inTurn(() => pictureOf(uploaded, kind));
    const file = await begin(userId, kind);
    await store.put(file, picture);
    return { file, url: `${publicUrl}/files/${file}` };
  }

  async function show(file: string, session: ClientSession): Promise<void> {
    if (!(await files.use(file, session))) throw new ServiceError("unavailable");
  }

  return {
    /**
     * A picture of that user, null for one of the service, that nothing shows yet: `show` it within the hour. Throws
     * `unsupported_media_type`, `validation_failed`, `unavailable`.
     */
    put,
    /** In the transaction that shows it. Throws `unavailable` when it was taken for abandoned meanwhile. */
    show,
    /** In the transaction that shows it no more. */
    drop: (file: string, session: ClientSession) =>
      files.dropOne(file, new Date(clock.now() + SHOWN_STILL_MS), session),

    /** Shows that picture of the account from now on. Throws as `put`. */
    async set(userId: string, kind: AccountPicture, uploaded: Buffer): Promise<UserDoc> {
      const { file, url } = await put(userId, kind, uploaded);
      const at = new Date(clock.now());
      const shown = { [FIELD[kind]]: url, updatedAt: at };
      return inTransaction(mongo.client, async (session) => {
        const change = { $set: shown };
        const user = await users.update(userId, change, { session, expected: { status: "active" } });
        if (!user) throw new ServiceError("invalid_token");
        await show(file, session);
        const dueAt = new Date(at.getTime() + SHOWN_STILL_MS);
        await files.drop(userId, { kind, keep: file, dueAt }, session);
        return user;
      });
    },

    /** Null when there is none. */
    read: (name: string) => store.read(name),

    dropAll: (userId: string) => files.dropAll(userId, new Date(clock.now())),

    /** Removes what is due, as long as it `isSure` of being the only one. What fails is tried again later, and holds up nothing else. */
    async sweep(isSure: () => boolean = () => true): Promise<void> {
      for (const file of await files.due(new Date(clock.now()), BATCH)) {
        if (!isSure()) return;
        await remove(file);
      }
    },

    /** Removes files that no row names, and drafts of uploads whose process died. One that can't be removed holds up no other. */
    async sweepOrphans(isSure: () => boolean = () => true): Promise<void> {
      const before = clock.now() - ORPHAN_AGE_MS;
      await store.removeDrafts(new Date(before));
      for await (const page of store.list()) {
        if (!isSure()) return;
        const old = page.filter(({ writtenAt }) => writtenAt.getTime() < before).map(({ name }) => name);
        const known = await files.known(old);
        for (const name of old.filter((one) => !known.has(one))) {
          try {
            await store.remove(name);
            log.warn({ file: name }, "a file that nothing refers to was removed");
          } catch (err) {
            log.error(
              { err, file: name },
              "a file that nothing refers to couldn't be removed; it is tried again",
            );
          }
        }
      }
    },
  };
}

/** Past so many that wait, `unavailable`: pictures take memory and a core for as long as they are made. */
function createTurns(deadlineMs: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  function free(): void {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= AT_ONCE) {
      if (waiting.length >= MOST_WAITING) throw new ServiceError("unavailable", { retry_after_ms: RETRY_MS });
      // One that ends hands its place over.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    const working = work();
    working.then(free, free);
    return within(working, performance.now() + deadlineMs, tooSlow);
  };
}
