import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import {
  makeSocketFolder,
  newLocalSocket,
  socketPathsIn,
  tokenOf,
} from "../../deploy/processes/upgrade-splice/socket-folder.ts";

describe("The folder of the realtime workers' sockets", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-home-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it("is its owner's alone, with a token of its own, and goes with its primary", () => {
    const folder = makeSocketFolder(home);

    expect([modeOf(folder.path), modeOf(join(folder.path, "token"))]).deep.equal(["700", "600"]);
    expect(tokenOf(folder.path)).match(/^[0-9a-f]{64}$/);
    expect(newLocalSocket(folder.path).token).equal(tokenOf(folder.path));
    folder.remove();
    expect(readdirSync(home)).deep.equal([]);
  });

  it("takes the place of what a killed primary left in a home that this one has for itself", () => {
    const left = makeSocketFolder(home);

    const now = makeSocketFolder(home);

    expect(existsSync(left.path)).equal(false);
    expect(readdirSync(home)).length(1);
    now.remove();
  });

  it("of a primary without a home leaves those of others alone", () => {
    const [one, two] = [makeSocketFolder(null), makeSocketFolder(null)];

    expect(existsSync(one.path) && existsSync(two.path)).equal(true);
    expect(tokenOf(one.path)).not.equal(tokenOf(two.path));
    one.remove();
    two.remove();
  });

  it("has a short path where one below the home would be too long for a socket", () => {
    const deep = join(home, "d".repeat(100));
    mkdirSync(deep);

    const folder = makeSocketFolder(deep);

    expect(Buffer.byteLength(newLocalSocket(folder.path).path)).below(104);
    folder.remove();
  });

  it("names the sockets in it, and none once it is gone", async () => {
    const folder = makeSocketFolder(home);
    const { path } = newLocalSocket(folder.path);
    writeFileSync(path, "");

    expect(await socketPathsIn(folder.path)).deep.equal([path]);
    folder.remove();
    expect(await socketPathsIn(folder.path)).deep.equal([]);
  });
});
