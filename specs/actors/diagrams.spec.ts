import { readFileSync } from "node:fs";
import { expect } from "chai";
import { machinePages } from "./diagrams.ts";

describe("docs/machines", () => {
  for (const { file, text } of machinePages()) {
    it(`shows the machine as it is in ${file}`, () => {
      expect(readFileSync(new URL(`../../docs/machines/${file}`, import.meta.url), "utf8")).equal(text);
    });
  }
});
