/**
 * Pictures of accounts, emotes, badges and categories, and their files:
 * 1. a row names the future file, `pending` for an hour;
 * 2. the file is put into the store;
 * 3. one transaction publishes it and drops the previous one;
 * 4. a sweep removes dropped files and those that were never published, first the file and then its row.
 * So a file lacks a row only after the database was restored from a backup, or when an upload took hours: `sweepOrphans` finds
 * those. No name is ever reused, so a late removal can't hit a file that is in use.
 */
import { randomBytes } from "node:crypto";
import type { ClientSession } from "mongodb";
import type { Clock } from "../../../base/clock.ts";
import { withDeadline } from "../../../base/deadline.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import { isUnavailable } from "../../../base/failures/unavailable.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import { ServiceError, unavailable } from "../../../contract/errors.ts";
import type { FileStore } from "../../../store/files/file-store.ts";
import { type UserDoc, usersIn } from "../../../store/mongo/accounts/users.ts";
import {
  type AccountPicture,
  type FileDoc,
  type FileKind,
  filesIn,
} from "../../../store/mongo/channels/files.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";
import { inTransaction } from "../../../store/mongo/driver/transaction.ts";
import { restoresIn } from "../../../store/mongo/host/restores.ts";
import { pictureOf, tooSlow } from "./image.ts";

/** Pictures processed concurrently per process, and how many may wait. */
const AT_ONCE = 2;
const MAX_WAITING = 10;
const RETRY_MS = 2_000;
/** How long a caller waits once processing has begun. The slot is freed only when the library has finished. */
const DEADLINE_MS = 10_000;

const PENDING_MS = HOUR_MS;
/** A dropped file stays this long, since open pages may still show it. */
const KEEP_DROPPED_MS = HOUR_MS;
/** Files per sweep; more are left to the next one. */
const BATCH = 100;
/** Files younger than this aren't treated as orphans, since their row may not be visible yet. */
const ORPHAN_AGE_MS = DAY_MS;
/** Pause before another attempt to remove a file. */
const REMOVE_AGAIN_MS = 10 * MINUTE_MS;

const FIELD = { avatar: "imageUrl", banner: "bannerUrl" } as const satisfies Record<
  AccountPicture,
  keyof UserDoc
>;

/** Its name in the file store, and its public URL. */
type Picture = { file: string; url: string };

type Deps = {
  mongo: Mongo;
  files: FileStore;
  publicUrl: string;
  clock: Clock;
  log: Log;
  /** For specs. */
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
  const restores = restoresIn(mongo.db);
  const queued = createQueue(deadlineMs);
  const outage = createOutageLog(log, "file store: removal");

  async function begin(userId: string | null, kind: FileKind): Promise<string> {
    const _id = `${randomBytes(32).toString("hex")}.webp`;
    const [createdAt, dueAt] = [new Date(clock.now()), new Date(clock.now() + PENDING_MS)];
    await files.begin({ _id, userId, kind, state: "pending", createdAt, dueAt });
    return _id;
  }

  /** `away`: the file store doesn't answer, so that each further removal would wait for it. */
  async function removeFile(name: string, failure: string): Promise<"removed" | "failed" | "away"> {
    try {
      await store.remove(name);
    } catch (err) {
      if (isUnavailable(err)) {
        outage.failed(err, { file: name });
        return "away";
      }
      log.error({ err, file: name }, failure);
      return "failed";
    }
    outage.succeeded();
    return "removed";
  }

  /** Returns whether the file store is there. */
  async function remove(file: FileDoc): Promise<boolean> {
    if (!(await files.beginRemoval(file))) return true;
    const outcome = await removeFile(file._id, "a picture couldn't be removed; it is tried again");
    if (outcome === "removed") await files.removed(file._id);
    else await files.removeLater(file._id, new Date(clock.now() + REMOVE_AGAIN_MS));
    return outcome !== "away";
  }

  async function put(userId: string | null, kind: FileKind, uploaded: Buffer): Promise<Picture> {
    const picture = await queued(() => pictureOf(uploaded, kind));
    const file = await begin(userId, kind);
    await store.put(file, picture);
    return { file, url: `${publicUrl}/files/${file}` };
  }

  async function show(file: string, session: ClientSession): Promise<void> {
    if (!(await files.use(file, session))) throw unavailable();
  }

  return {
    /**
     * Stores a picture of that user (null: of the service), which nothing refers to yet: `show` it within an hour. Throws
     * `unsupported_media_type`, `validation_failed`, `unavailable`.
     */
    put,
    /** Call in the transaction that refers to it. Throws `unavailable` when it has been treated as abandoned meanwhile. */
    show,
    /** Call in the transaction that removes the reference to it. */
    drop: (file: string, session: ClientSession) =>
      files.dropOne(file, new Date(clock.now() + KEEP_DROPPED_MS), session),

    /** Sets that picture of the account. Throws like `put`, and `invalid_token` when the account isn't active. */
    async set(userId: string, kind: AccountPicture, uploaded: Buffer): Promise<UserDoc> {
      const { file, url } = await put(userId, kind, uploaded);
      const at = new Date(clock.now());
      const shown = { [FIELD[kind]]: url, updatedAt: at };
      return inTransaction(mongo.client, async (session) => {
        const change = { $set: shown };
        const user = await users.update(userId, change, { session, expected: { status: "active" } });
        if (!user) throw new ServiceError("invalid_token");
        await show(file, session);
        const dueAt = new Date(at.getTime() + KEEP_DROPPED_MS);
        await files.drop(userId, { kind, keep: file, dueAt }, session);
        return user;
      });
    },

    /** Null when there is no such file. */
    read: (name: string) => store.read(name),

    dropAll: (userId: string) => files.dropAll(userId, new Date(clock.now())),

    /**
     * Removes due files while `isSure` (still the only sweeper) holds. A failed removal is retried later and blocks no other; while
     * the file store is away, a sweep ends with the first.
     */
    async sweep(isSure: () => boolean = () => true): Promise<void> {
      for (const file of await files.due(new Date(clock.now()), BATCH)) {
        if (!isSure() || !(await remove(file))) return;
      }
    },

    /**
     * Removes files without a row, and drafts of uploads whose process died. A failed removal blocks no other. For 30 days after the
     * database was restored it removes no such files: a newer backup may still refer to them.
     */
    async sweepOrphans(isSure: () => boolean = () => true): Promise<void> {
      const before = clock.now() - ORPHAN_AGE_MS;
      await store.removeDrafts(new Date(before));
      if (await restores.keepsFiles(new Date(clock.now()))) return;
      for await (const page of store.list()) {
        if (!isSure()) return;
        const old = page.filter(({ writtenAt }) => writtenAt.getTime() < before).map(({ name }) => name);
        if (old.length === 0) continue;
        const known = await files.known(old);
        for (const name of old.filter((one) => !known.has(one))) {
          const failure = "a file that nothing refers to couldn't be removed; it is tried again";
          const outcome = await removeFile(name, failure);
          if (outcome === "away") return;
          if (outcome === "removed") log.warn({ file: name }, "a file that nothing refers to was removed");
        }
      }
    },
  };
}

/** A bounded queue; throws `unavailable` when full: each picture takes memory and a core while it is processed. */
function createQueue(deadlineMs: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  function free(): void {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= AT_ONCE) {
      if (waiting.length >= MAX_WAITING) throw unavailable({ retryAfterMs: RETRY_MS });
      // The one that ends passes its slot on.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    const working = work();
    working.then(free, free);
    return withDeadline(working, performance.now() + deadlineMs, tooSlow);
  };
}
