import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { SEALED_FIELDS } from "../../../actors/resealing/sealed-fields.ts";
import { projectRoot } from "../../../deploy/processes/config/project.ts";
import { COLLECTIONS } from "../../../store/mongo/generated/collections.ts";

const FOLDERS = ["actors", "api", "deploy", "jobs", "realtime"];

/** Source files that seal something, with their text. */
function sealing(): [file: string, text: string][] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file): [string, string] => [
        join(folder, file),
        readFileSync(join(projectRoot, folder, file), "utf8"),
      ])
      .filter(([, text]) => /\.seal\(/.test(text)),
  );
}

/** Rows that a job takes away within a second aren't in the database any more when the story of the examples is over. */
describe("the list of what is sealed", () => {
  const list = readFileSync(join(projectRoot, "actors/resealing/sealed-fields.ts"), "utf8");

  it("has each context under which anything is sealed, however short it lies in the database", () => {
    const files = sealing();
    expect(files.length).greaterThan(4);
    for (const [file, text] of files) {
      // In Redis, for ten minutes: a new MASTER_KEY comes with the old one beside it for longer.
      if (file.endsWith("actors/accounts/oauth/pending.ts")) continue;
      // In mails alone.
      if (file.endsWith("actors/notifications/unsubscribing.ts")) continue;
      const contexts = [...text.matchAll(/\b(\w+Context)\(/g)].map(([, name = ""]) => name);
      expect(contexts, `${file} seals under a context that has no name: fooContext(…)`).not.empty;
      for (const name of contexts)
        expect(list, `${file} seals under ${name}: actors/resealing/sealed-fields.ts`).include(`${name}(`);
    }
  });

  it("names collections that there are, each field once", () => {
    const names = COLLECTIONS.map(({ name }) => name);
    expect(names).include.members(SEALED_FIELDS.map(({ collection }) => collection));
    const fields = SEALED_FIELDS.map(({ collection, field }) => `${collection}.${field}`);
    expect(new Set(fields).size).equal(fields.length);
  });
});
