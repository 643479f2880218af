import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import { definitions, machinePages } from "./diagrams.ts";

const SPECS = new URL("../", import.meta.url);

describe("docs/machines", () => {
  const folder = new URL("../../../docs/machines/", import.meta.url);

  for (const { file, text } of machinePages()) {
    it(`shows the machine as it is in ${file}`, () => {
      expect(readFileSync(new URL(file, folder), "utf8")).equal(text);
    });
  }

  it("has no page of a machine that there isn't", () => {
    expect(readdirSync(folder).sort()).deep.equal(
      machinePages()
        .map(({ file }) => file)
        .sort(),
    );
  });
});

describe("every machine", () => {
  for (const { name, commands, input, context } of definitions()) {
    it(`says by schemas what it takes and keeps, the machine ${name} too`, () => {
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      for (const schema of [...Object.values(commands), input, context])
        expect(() => ajv.compile(schema)).not.to.throw();
    });
  }

  for (const { name } of definitions()) {
    it(`has a table of its states and events, the machine ${name} too`, () => {
      const file = `${name}-machine.spec.ts`;
      const found = readdirSync(SPECS, { recursive: true, encoding: "utf8" }).find(
        (path) => basename(path) === file,
      );
      if (found === undefined) throw new Error(`specs/actors/**/${file} is missing`);
      const source = readFileSync(new URL(found, SPECS), "utf8");
      expect(source, `${file} calls describeTable (state-table.ts)`).include("describeTable({");
    });
  }
});
