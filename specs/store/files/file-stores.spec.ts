import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import S3rver from "s3rver";
import type { FileStore } from "../../../store/files/file-store.ts";
import { createFolderStore } from "../../../store/files/folder.ts";
import { createS3Store } from "../../../store/files/s3.ts";
import { codeOf } from "../../support/code-of.ts";

/** Its own, which it makes known. */
const ACCOUNT = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
const BUCKET = "pictures";

const nameOf = (n: number) => `${n.toString(16).padStart(64, "0")}.webp`;
const BYTES = Buffer.from([0, 255, 128, 10, 13]);

type Opened = { store: FileStore; another(): FileStore; close(): Promise<void> };

async function inFolder(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "livecore-files-"));
  const another = () => createFolderStore(join(folder, "files"));
  return { store: another(), another, close: async () => rmSync(folder, { recursive: true }) };
}

async function inS3(): Promise<Opened> {
  const directory = mkdtempSync(join(tmpdir(), "livecore-s3-"));
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const another = () => createS3Store({ ...ACCOUNT, endpoint, region: "us-east-1", bucket: BUCKET });
  const close = async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  };
  return { store: another(), another, close };
}

describe("Files in a folder that can't be written", () => {
  it("are refused as unavailable", async () => {
    const folder = mkdtempSync(join(tmpdir(), "livecore-files-"));
    try {
      const place = join(folder, "not-a-folder");
      writeFileSync(place, "");

      const code = await codeOf(createFolderStore(place).put(nameOf(1), BYTES));

      expect(code).equal("unavailable");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

for (const [what, open] of Object.entries({ "a folder": inFolder, "a server that speaks S3": inS3 })) {
  describe(`Files in ${what}`, function () {
    this.timeout(60_000);
    let opened: Opened;
    before(async () => {
      opened = await open();
    });
    after(() => opened.close());

    it("are there for every process once they were put, and as they were", async () => {
      await opened.store.put(nameOf(1), BYTES);

      expect(await opened.another().read(nameOf(1))).deep.equal(BYTES);
    });

    it("may be put twice and removed twice", async () => {
      const { store } = opened;
      await store.put(nameOf(2), BYTES);
      await store.put(nameOf(2), BYTES);
      await store.remove(nameOf(2));
      await store.remove(nameOf(2));

      expect(await store.read(nameOf(2))).equal(null);
    });

    it("are listed in pages, each with when it was written", async () => {
      const { store } = opened;
      const names = Array.from({ length: 501 }, (_, n) => nameOf(1_000 + n));
      for (let i = 0; i < names.length; i += 50)
        await Promise.all(names.slice(i, i + 50).map((name) => store.put(name, BYTES)));

      const listed: { name: string; writtenAt: Date }[] = [];
      const pages: number[] = [];
      for await (const page of store.list()) {
        pages.push(page.length);
        listed.push(...page);
      }

      expect(listed.map(({ name }) => name)).include.members(names);
      expect(Math.max(...pages)).at.most(500);
      expect(Math.abs(Date.now() - (listed[0]?.writtenAt.getTime() ?? 0))).below(60_000);
    });

    for (const name of ["../etc/passwd", "..", "", "a.webp", `${"A".repeat(64)}.webp`, `${nameOf(1)}/..`]) {
      it(`have no name such as "${name.slice(0, 20)}"`, async () => {
        const { store } = opened;
        for (const act of [() => store.read(name), () => store.put(name, BYTES), () => store.remove(name)]) {
          const outcome = await (async () => act())().then(
            () => "done",
            () => "refused",
          );
          expect(outcome).equal("refused");
        }
      });
    }
  });
}

describe("A folder of files", () => {
  it("removes old drafts of processes that died while they put a file, and nothing else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "livecore-files-"));
    const store = createFolderStore(folder);
    await store.put(nameOf(1), BYTES);
    const [old, young] = [`.${randomUUID()}`, `.${randomUUID()}`];
    for (const name of [old, young, ".mine"]) writeFileSync(join(folder, "00", name), "half");
    for (const name of [old, ".mine", nameOf(1)]) utimesSync(join(folder, "00", name), 1_000, 1_000);

    await store.removeDrafts(new Date(Date.now() - 60_000));

    expect(readdirSync(join(folder, "00"))).have.members([nameOf(1), young, ".mine"]);
    rmSync(folder, { recursive: true });
  });

  it("shows no draft that a crash has left, and nothing that isn't ours", async () => {
    const folder = mkdtempSync(join(tmpdir(), "livecore-files-"));
    const store = createFolderStore(folder);
    await store.put(nameOf(1), BYTES);
    writeFileSync(join(folder, "00", ".draft"), "half");
    writeFileSync(join(folder, "notes.txt"), "mine");

    const listed: string[] = [];
    for await (const page of store.list()) listed.push(...page.map(({ name }) => name));

    expect(listed).deep.equal([nameOf(1)]);
    expect(readdirSync(join(folder, "00"))).length(2);
    rmSync(folder, { recursive: true });
  });
});

describe("A store that speaks S3 and is away", () => {
  it("is unavailable, which is no missing file", async () => {
    const away = { endpoint: "http://127.0.0.1:9", region: "us-east-1", bucket: BUCKET };
    const store = createS3Store({ ...ACCOUNT, ...away });

    const refused = await store.read(nameOf(1)).catch((err: unknown) => Object(err).code);

    expect(refused).equal("unavailable");
  });
});
