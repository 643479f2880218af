import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { newId } from "../../base/ids.ts";
import { createMediaFiles } from "../../deploy/development/media/media-files.ts";
import { moveOlderFiles } from "../../deploy/development/media/older-files.ts";

describe("older files of the development media server", () => {
  let root: string;
  const folder = (name: string) => join(root, name);
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "livecore-media-"));
    for (const name of ["files", "clips", "thumbnails"]) mkdirSync(folder(name));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  /** Of a service that accepts reports, or doesn't. Returns the reports. */
  async function moved(accepts: boolean): Promise<object[]> {
    const reports: object[] = [];
    await moveOlderFiles({
      folders: { olderClips: folder("clips"), thumbnails: folder("thumbnails") },
      files: createMediaFiles({ files: folder("files") }),
      recordings: { reportAgain: async () => accepts },
      hooks: {
        async report(report) {
          reports.push(report);
          return accepts;
        },
      },
    });
    return reports;
  }

  it("moves a clip into a folder of its own, and reports it with its files", async () => {
    const clip_id = newId();
    writeFileSync(join(folder("clips"), `${clip_id}.mp4`), "film");
    writeFileSync(join(folder("clips"), `${clip_id}.jpg`), "picture");

    const data = { clip_id, video_path: "clip.mp4", thumbnail_path: "clip.jpg" };
    expect(await moved(true)).deep.equal([{ type: "clip.ready", data }]);

    expect(readdirSync(folder("clips"))).deep.equal([]);
    const own = join(folder("files"), `${clip_id}_public`);
    expect(readFileSync(join(own, "clip.mp4"), "utf8")).equal("film");
    expect(readFileSync(join(own, "clip.jpg"), "utf8")).equal("picture");
    expect(await moved(true)).deep.equal([]);
  });

  it("keeps a clip for the next start when the service doesn't accept the report", async () => {
    const name = `${newId()}.mp4`;
    writeFileSync(join(folder("clips"), name), "film");

    await moved(false);

    expect(existsSync(join(folder("clips"), name))).equal(true);
    expect(await moved(true)).length(1);
  });

  it("removes a recording's older picture once a new one is reported, and none of a stream", async () => {
    const [recording, stream] = [`${newId()}.jpg`, `${newId()}-1700000000000.jpg`];
    for (const name of [recording, stream]) writeFileSync(join(folder("thumbnails"), name), "picture");

    await moved(false);
    expect(readdirSync(folder("thumbnails"))).have.members([recording, stream]);
    await moved(true);

    expect(readdirSync(folder("thumbnails"))).deep.equal([stream]);
  });
});
