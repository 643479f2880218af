import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { runOnProject } from "../support/made-up-project.ts";

const WRITE = fileURLToPath(new URL("../runner/write-decisions.mjs", import.meta.url));
const FOLDER = "docs/decisions";
const FIRST = `${FOLDER}/0001-count-votes.md`;
const SECOND = `${FOLDER}/0002-count-votes-by-user.md`;
const PROJECT = {
  [FIRST]:
    "# 0001: Count votes\n\nStatus: superseded by [0002](0002-count-votes-by-user.md).\n\n**Context.** …\n",
  [SECOND]: "# 0002: Count votes by user\n\nStatus: accepted.\n\n**Context.** …\n",
};

const indexOf = (changes: Record<string, string> = {}) =>
  runOnProject(WRITE, { ...PROJECT, ...changes }, `${FOLDER}/README.md`);

describe("index of decisions", () => {
  it("lists number, title and status of each decision, and the successor of a superseded one", async () => {
    const { written } = await indexOf();

    expect(written.split("\n").slice(-3)).deep.equal([
      "| [0001](0001-count-votes.md) | Count votes | superseded by [0002](0002-count-votes-by-user.md) |",
      "| [0002](0002-count-votes-by-user.md) | Count votes by user | accepted |",
      "",
    ]);
  });

  const REFUSED: readonly [what: string, path: string, text: string, says: string][] = [
    ["without a status", SECOND, "# 0002: Count votes by user\n\n**Context.** …\n", '"Status: accepted."'],
    [
      "whose title has another number",
      SECOND,
      "# 0003: Count\n\nStatus: accepted.\n\n…\n",
      '"# 0002: <title>"',
    ],
    [
      "whose number is taken",
      `${FOLDER}/0002-other.md`,
      "# 0002: Other\n\nStatus: accepted.\n\n…\n",
      "number of",
    ],
    [
      "that names a missing successor",
      SECOND,
      "# 0002: Count\n\nStatus: superseded by [0003](0003-count.md).\n\n…\n",
      "isn't there",
    ],
  ];
  for (const [what, path, text, says] of REFUSED) {
    it(`refuses a decision ${what}, by its file`, async () => {
      const { code, output } = await indexOf({ [path]: text });

      expect(code).equal(1);
      expect(output).include(says).include(path.split("/").at(-1));
    });
  }
});
