import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";

const WRITE = fileURLToPath(new URL("../runner/write-indexes.mjs", import.meta.url));

/** One of each kind, as the guide writes them. */
const PROJECT = {
  "store/mongo/blocks.ts": 'export const blocksCollection = defineCollection<BlockDoc>("blocks", {});',
  "actors/features.ts":
    "export function createFeatures(deps: CoreDeps) { return { tags: createTags(deps, others) }; }",
  "actors/blocking.ts": "export function createBlocking({ mongo, clock }: FeatureDeps) {}",
  "actors/tags.ts": "export function createTags(deps: TagDeps & FeatureDeps) {}",
  "api/social/routes.ts": "export function socialRoutes({ bind }: Operations, { blocking }: RouteDeps) {}",
};

/** Writes the lists of a project: those of features, or what the run says where it fails. */
async function listed(changes: Record<string, string> = {}): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), "livecore-lists-"));
  try {
    for (const [path, source] of Object.entries({ ...PROJECT, ...changes })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), source);
    }
    return await new Promise((resolve) => {
      execFile(process.execPath, [WRITE, root], (err, _, stderr) =>
        resolve(err ? stderr : readFileSync(join(root, "actors/generated/features.ts"), "utf8")),
      );
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

describe("The generated lists", () => {
  it("hold what follows the form, and leave out what is created by hand", async () => {
    const list = await listed();
    expect(list).contain("blocking: createBlocking(deps)").and.not.contain("createTags");
  });

  it("hold a feature whose dependencies are picked on several lines", async () => {
    const source = 'export function createBlocking({\n  mongo,\n}: Pick<FeatureDeps, "mongo">) {}';
    expect(await listed({ "actors/blocking.ts": source })).contain("blocking: createBlocking(deps)");
  });

  const REFUSED: readonly [what: string, path: string, source: string, name: string][] = [
    [
      "a feature whose dependencies stand behind an alias",
      "actors/blocking.ts",
      'type Deps = Pick<FeatureDeps, "mongo">;\nexport function createBlocking(deps: Deps) {}',
      "createBlocking",
    ],
    [
      "a feature that is an arrow function",
      "actors/blocking.ts",
      "export const createBlocking = (deps: FeatureDeps) => ({});",
      "createBlocking",
    ],
    [
      "a collection that isn't exported",
      "store/mongo/blocks.ts",
      'const blocksCollection = defineCollection<BlockDoc>("blocks", {});',
      "blocksCollection",
    ],
    [
      "a module of routes that takes its operations whole",
      "api/social/routes.ts",
      "export function socialRoutes(operations: Operations, { blocking }: RouteDeps) {}",
      "socialRoutes",
    ],
  ];
  for (const [what, path, source, name] of REFUSED) {
    it(`are refused for ${what}, by its name and with the form to write`, async () => {
      expect(await listed({ [path]: source })).contain(`${path}: ${name} would be in no list. Write it as:`);
    });
  }
});
