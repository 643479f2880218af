import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import sharp from "sharp";
import { createPictures } from "../../../../actors/channels/pictures/pictures.ts";
import { processClock } from "../../../../base/clock.ts";
import { createFolderStore } from "../../../../store/files/folder.ts";
import { outcome } from "../../../api/accounts/open-accounts.ts";
import { eventually } from "../../../support/eventually.ts";
import { openOwnStores } from "../../../support/own-stores.ts";
import { quietLog } from "../../../support/quiet-log.ts";
import type { Stores } from "../../../support/stores.ts";

/** As large as one may be. Decoding it takes a second or more. */
const [WIDTH, HEIGHT] = [16_000, 3_000];

describe("The time for decoding a picture", function () {
  this.timeout(60_000);
  let stores: Stores;
  const folder = mkdtempSync(join(tmpdir(), "livecore-files-"));
  before(async () => {
    stores = await openOwnStores();
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await stores.close();
  });

  const picturesWithin = (deadlineMs?: number) =>
    createPictures({
      mongo: stores.mongo,
      files: createFolderStore(folder),
      publicUrl: "https://live.example",
      clock: processClock,
      log: quietLog(),
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    });

  it("has an end for who waits, after which nothing is kept, and places are free again when it was decoded", async () => {
    const create = { width: WIDTH, height: HEIGHT, channels: 4, background: "#1f9d5580" } as const;
    const large = await sharp({ create }).png({ compressionLevel: 1 }).toBuffer();
    const small = await sharp({ create: { ...create, width: 9, height: 9 } })
      .png()
      .toBuffer();
    const pictures = picturesWithin(100);
    const put = (bytes: Buffer) => outcome(pictures.put("ana", "avatar", bytes));

    const startedAt = performance.now();
    const codes = await Promise.all([put(large), put(large)]);

    expect(codes).deep.equal(["validation_failed", "validation_failed"]);
    expect(performance.now() - startedAt).below(1_000);
    expect(readdirSync(folder)).deep.equal([]);
    // Its turn comes behind theirs, and on a busy machine the first of them may take all of its time.
    await eventually(async () => expect(await put(small)).equal("accepted"));
    expect(await outcome(picturesWithin().put("ana", "avatar", large))).equal("accepted");
  });
});
