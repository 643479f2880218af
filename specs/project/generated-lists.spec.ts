import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { runOnProject } from "../support/made-up-project.ts";

const WRITE = fileURLToPath(new URL("../runner/write-indexes.mjs", import.meta.url));

/** One of each kind, as the guide writes them. */
const PROJECT = {
  "store/mongo/channels/blocks.ts":
    'export const blocksCollection = defineCollection<BlockDoc>("blocks", {});',
  "actors/features.ts":
    "export function createFeatures(deps: CoreDeps) { return { tags: createTags(deps, others) }; }",
  "actors/blocking.ts": "export function createBlocking({ mongo, clock }: FeatureDeps) {}",
  "actors/tags.ts": "export function createTags(deps: TagDeps & FeatureDeps) {}",
  "actors/chat/poll/polls.ts":
    "export const pollsLifecycle = defineLifecycle({});\nexport async function pollResource({ polls }: Deps, id: string) {}",
  "api/channels/social-routes.ts":
    "export function socialRoutes({ bind }: Operations, { blocking }: RouteDeps) {}",
  "specs/actors/chat/poll/subject.ts": "export const pollSubject: Subject = {};",
  "specs/actors/chat/poll/crash-scenarios.ts": "export const pollCrashes: CrashScenarios = {};",
  "specs/api/chat/poll-requests.ts": "export const pollRequests: ResourceRequests = {};",
};

const listed = (changes: Record<string, string> = {}) =>
  runOnProject(WRITE, { ...PROJECT, ...changes }, "actors/generated/features.ts");

describe("The generated lists", () => {
  it("hold what follows the form, and leave out what is created by hand", async () => {
    const { written } = await listed();
    expect(written).contain("blocking: createBlocking(deps)").and.not.contain("createTags");
  });

  it("hold a feature whose dependencies are picked on several lines", async () => {
    const source = 'export function createBlocking({\n  mongo,\n}: Pick<FeatureDeps, "mongo">) {}';
    expect((await listed({ "actors/blocking.ts": source })).written).contain(
      "blocking: createBlocking(deps)",
    );
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
      "a lifecycle that isn't exported",
      "actors/chat/poll/polls.ts",
      "const pollsLifecycle = defineLifecycle({});",
      "pollsLifecycle",
    ],
    [
      "what loads a resource, as an arrow function",
      "actors/chat/poll/polls.ts",
      "export const pollsLifecycle = defineLifecycle({});\nexport const pollResource = async () => ({});",
      "pollResource",
    ],
    [
      "a collection that isn't exported",
      "store/mongo/channels/blocks.ts",
      'const blocksCollection = defineCollection<BlockDoc>("blocks", {});',
      "blocksCollection",
    ],
    [
      "a module of routes that takes its operations whole",
      "api/channels/social-routes.ts",
      "export function socialRoutes(operations: Operations, { blocking }: RouteDeps) {}",
      "socialRoutes",
    ],
    [
      "a subject under a name of another form",
      "specs/actors/chat/poll/subject.ts",
      "export const poll: Subject = {};",
      "poll",
    ],
  ];
  for (const [what, path, source, name] of REFUSED) {
    it(`are refused for ${what}, by its name and with the form to write`, async () => {
      expect((await listed({ [path]: source })).output).contain(
        `${path}: ${name} would be in no list. Write it as:`,
      );
    });
  }
});
