/**
 * Pictures of accounts, and their files:
 * 1. a row names the file that will be, `pending` for an hour; 2. the file is put into the store; 3. one transaction shows it and
 * drops the one before it; 4. a sweep removes what was dropped, and what never came to be shown, first the file and then its row.
 * So a file without a row comes only of a database that was set back: `sweepOrphans` finds those.
 */
import { createHash } from "node:crypto";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import type { FileStore } from "../../store/files/file-store.ts";
import type { Log } from "../../store/log.ts";
import type { Mongo } from "../../store/mongo/connect.ts";
import { type FileKind, filesIn } from "../../store/mongo/files.ts";
import { inTransaction } from "../../store/mongo/transaction.ts";
import { type UserDoc, usersIn } from "../../store/mongo/users.ts";
import { pictureOf } from "./image.ts";

/** Pictures that are made at a time in one process, and how many may wait. */
const AT_ONCE = 2;
const MOST_WAITING = 10;
const RETRY_MS = 2_000;

const PENDING_MS = 3_600_000;
/** Somebody may have the page open that shows it. */
const SHOWN_STILL_MS = 3_600_000;
/** Of one sweep; more are left to the next. */
const BATCH = 100;
/** Younger files may have a row that isn't seen yet. */
const ORPHAN_AGE_MS = 24 * 3_600_000;
/** Names for one picture, of which those before are being removed. */
const NAMES = 3;

const FIELD = { avatar: "imageUrl", banner: "bannerUrl" } as const satisfies Record<FileKind, keyof UserDoc>;

type Deps = { mongo: Mongo; files: FileStore; publicUrl: string; clock: Clock; log: Log };

export type Pictures = ReturnType<typeof createPictures>;

export function createPictures({ mongo, files: store, publicUrl, clock, log }: Deps) {
  const users = usersIn(mongo.db);
  const files = filesIn(mongo.db);
  const inTurn = createTurns();

  /** Of the owner too: what one user drops is nobody else's. */
  const nameOf = (userId: string, kind: FileKind, bytes: Buffer, attempt: number) =>
    `${createHash("sha256").update(`${userId}:${kind}:${attempt}:`).update(bytes).digest("hex")}.webp`;

  async function begin(userId: string, kind: FileKind, bytes: Buffer): Promise<string> {
    const createdAt = new Date(clock.now());
    const dueAt = new Date(clock.now() + PENDING_MS);
    for (let attempt = 0; attempt < NAMES; attempt++) {
      const _id = nameOf(userId, kind, bytes, attempt);
      if (await files.begin({ _id, userId, kind, createdAt }, dueAt)) return _id;
    }
    throw new ServiceError("unavailable", { retry_after_ms: RETRY_MS });
  }

  return {
    /** Shows that picture from now on. Throws `unsupported_media_type`, `validation_failed`, `unavailable`. */
    async set(userId: string, kind: FileKind, uploaded: Buffer): Promise<UserDoc> {
      const picture = await inTurn(() => pictureOf(uploaded, kind));
      const name = await begin(userId, kind, picture);
      await store.put(name, picture);
      const at = new Date(clock.now());
      const shown = { [FIELD[kind]]: `${publicUrl}/files/${name}`, updatedAt: at };
      return inTransaction(mongo.client, async (session) => {
        const change = { $set: shown };
        const user = await users.update(userId, change, { session, expected: { status: "active" } });
        if (!user) throw new ServiceError("invalid_token");
        if (!(await files.use(name, session))) throw new ServiceError("unavailable");
        const dueAt = new Date(at.getTime() + SHOWN_STILL_MS);
        await files.drop(userId, { kind, keep: name, dueAt }, session);
        return user;
      });
    },

    /** Null when there is none. */
    read: (name: string) => store.read(name),

    dropAll: (userId: string) => files.dropAll(userId, new Date(clock.now())),

    /** Removes what is due. What fails is tried by the next one. */
    async sweep(): Promise<void> {
      for (const file of await files.due(new Date(clock.now()), BATCH)) {
        if (!(await files.beginRemoval(file))) continue;
        await store.remove(file._id);
        await files.removed(file._id);
      }
    },

    /** Removes files that no row names. */
    async sweepOrphans(isSure: () => boolean = () => true): Promise<void> {
      const before = clock.now() - ORPHAN_AGE_MS;
      for await (const page of store.list()) {
        if (!isSure()) return;
        const old = page.filter(({ writtenAt }) => writtenAt.getTime() < before).map(({ name }) => name);
        const known = await files.known(old);
        for (const name of old.filter((one) => !known.has(one))) {
          await store.remove(name);
          log.warn({ file: name }, "a file that nothing refers to was removed");
        }
      }
    },
  };
}

/** Past so many that wait, `unavailable`: pictures take memory and a core for as long as they are made. */
function createTurns() {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= AT_ONCE) {
      if (waiting.length >= MOST_WAITING) throw new ServiceError("unavailable", { retry_after_ms: RETRY_MS });
      // One that ends hands its place over.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
