import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect } from "chai";
import sharp from "sharp";
import { createPictures } from "../../../../actors/channels/pictures/pictures.ts";
import { DAY_MS } from "../../../../base/durations.ts";
import type { FileStore } from "../../../../store/files/file-store.ts";
import { createFolderStore } from "../../../../store/files/folder.ts";
import { usersCollection } from "../../../../store/mongo/accounts/users.ts";
import { type FileDoc, filesCollection } from "../../../../store/mongo/channels/files.ts";
import { restoresCollection, restoresIn } from "../../../../store/mongo/host/restores.ts";
import { type MovableClock, standingClock } from "../../../support/clock.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { type LogLine, recordingLog } from "../../../support/recording-log.ts";
import type { Stores } from "../../../support/stores.ts";

describe("The removal of pictures", () => {
  let stores: Stores;
  let folder: string;
  let store: FileStore;
  let clock: MovableClock;
  let lines: LogLine[];
  let picture: Buffer;
  before(async () => {
    stores = await openOwnStores();
    picture = await sharp({ create: { width: 9, height: 9, channels: 3, background: "#1f9d55" } })
      .png()
      .toBuffer();
  });
  after(() => stores.close());
  beforeEach(async () => {
    [clock, lines, folder] = [standingClock(), [], mkdtempSync(join(tmpdir(), "livecore-files-"))];
    store = createFolderStore(folder);
    await files().deleteMany({});
    await restoresCollection.in(stores.mongo.db).deleteMany({});
    await users().updateOne({ _id: "ana" }, { $set: { status: "active" } }, { upsert: true });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const files = () => filesCollection.in(stores.mongo.db);
  const users = () => usersCollection.in(stores.mongo.db);
  const picturesIn = (of: FileStore) =>
    createPictures({
      mongo: stores.mongo,
      files: of,
      publicUrl: "https://live.example",
      clock,
      log: recordingLog(lines),
    });
  const uploaded = async () =>
    basename((await picturesIn(store).set("ana", "avatar", picture)).imageUrl ?? "");
  const due = (name: string) =>
    files().updateOne({ _id: name }, { $set: { state: "dropped", dueAt: new Date(clock.now() - 1) } });

  it("goes on past a file that can't be removed, which is tried again later", async () => {
    const doc = (letter: string, ms: number): FileDoc => ({
      _id: `${letter.repeat(64)}.webp`,
      userId: "ana",
      kind: "avatar",
      state: "dropped",
      createdAt: new Date(clock.now()),
      dueAt: new Date(clock.now() - ms),
    });
    const [stuck, other] = [doc("a", 2_000), doc("b", 1_000)];
    await files().insertMany([stuck, other]);
    await store.put(other._id, picture);
    const failing: FileStore = {
      ...store,
      remove: (name) => (name === stuck._id ? Promise.reject(new Error("denied")) : store.remove(name)),
    };

    await picturesIn(failing).sweep();

    expect(await store.read(other._id)).equal(null);
    expect((await files().find().toArray()).map(({ _id }) => _id)).deep.equal([stuck._id]);
    expect(lines.filter(({ level }) => level === "error")).length(1);
    await picturesIn(failing).sweep();
    expect(lines, "not without a pause").length(1);
    clock.move(10 * 60_000);
    await picturesIn(store).sweep();
    expect(await files().countDocuments()).equal(0);
  });

  it("ends when it isn't the only one any more", async () => {
    await due(await uploaded());

    await picturesIn(store).sweep(() => false);

    expect(await files().countDocuments({ state: "dropped" })).equal(1);
  });

  it("takes nothing of the same picture that is uploaded again, however late a sweep gets on", async () => {
    const first = await uploaded();
    await due(first);
    let second = "";
    const stalled: FileStore = {
      ...store,
      async remove(name) {
        // Another worker has removed it by then.
        await picturesIn(store).sweep();
        second = await uploaded();
        await store.remove(name);
      },
    };

    await picturesIn(stalled).sweep();

    expect(await files().findOne({ _id: second })).include({ state: "used" });
    expect(await store.read(second)).not.equal(null);
    expect(await store.read(first)).equal(null);
  });

  it("takes nothing of it when the older one is a file that no row names", async () => {
    const first = await uploaded();
    await files().deleteMany({});
    utimesSync(join(folder, first.slice(0, 2), first), 1_000, 1_000);
    let second = "";
    const stalled: FileStore = {
      ...store,
      async remove(name) {
        second = await uploaded();
        await store.remove(name);
      },
    };

    await picturesIn(stalled).sweepOrphans();

    expect(await store.read(second)).not.equal(null);
    expect(await store.read(first)).equal(null);
  });

  it("keeps files that no row names for 30 days after the database was restored", async () => {
    const name = await uploaded();
    await files().deleteMany({});
    utimesSync(join(folder, name.slice(0, 2), name), 1_000, 1_000);
    const now = new Date(clock.now());
    await restoresIn(stores.mongo.db).begin("a backup", now, new Date(clock.now() + 30 * DAY_MS));

    await picturesIn(store).sweepOrphans();
    clock.move(30 * DAY_MS - 1_000);
    await picturesIn(store).sweepOrphans();
    expect(await store.read(name)).not.equal(null);

    clock.move(1_000);
    await picturesIn(store).sweepOrphans();
    expect(await store.read(name)).equal(null);
  });

  it("goes on behind a file that no row names and that can't be removed", async () => {
    const names = [await uploaded(), await uploaded(), await uploaded()].sort();
    await files().deleteMany({});
    for (const name of names) utimesSync(join(folder, name.slice(0, 2), name), 1_000, 1_000);
    const [stuck = ""] = names;
    const failing: FileStore = {
      ...store,
      remove: (name) => (name === stuck ? Promise.reject(new Error("denied")) : store.remove(name)),
    };

    await picturesIn(failing).sweepOrphans();

    expect(await Promise.all(names.map(async (name) => (await store.read(name)) !== null))).deep.equal([
      true,
      false,
      false,
    ]);
    expect(lines.filter(({ level }) => level === "error")).length(1);
  });

  it("finds the drafts of uploads whose process died, a day later", async () => {
    const name = await uploaded();
    const below = join(folder, name.slice(0, 2));
    writeFileSync(join(below, ".11111111-1111-4111-8111-111111111111"), "half");

    await picturesIn(store).sweepOrphans();
    expect(readdirSync(below)).length(2);
    clock.move(DAY_MS + 1_000);
    await picturesIn(store).sweepOrphans();

    expect(readdirSync(below)).deep.equal([name]);
  });
});
