import { expect } from "chai";
import { scenario } from "../stress/scenario.ts";
import { parseArguments } from "./arguments.ts";

const defaults = { seed: 7, out: "soak.jsonl" };

describe("npm run soak", () => {
  it("takes a set, scenarios of it, a seed, a scale and a file", () => {
    const words = "actors repeats --seed 5 pure-model --scale 0.1 --out x.jsonl".split(" ");

    expect(parseArguments(words, defaults)).deep.equal({
      set: "actors",
      names: ["repeats", "pure-model"],
      seed: 5,
      scale: 0.1,
      out: "x.jsonl",
    });
    expect(parseArguments(["actors"], defaults)).deep.equal({
      set: "actors",
      names: [],
      seed: 7,
      scale: 1,
      out: "soak.jsonl",
    });
  });

  for (const words of [
    "",
    "--seed 1",
    "actors --seed",
    "actors --seed x",
    "actors --scale 0",
    "actors --sede 1",
  ]) {
    it(`refuses "${words}" with how it is used`, () => {
      const parse = () => parseArguments(words.split(" ").filter(Boolean), defaults);
      expect(parse).throw("npm run soak -- <set>");
    });
  }

  it("makes sizes smaller, down to one, and leaves the rest as it is", async () => {
    const runs: object[] = [];
    const one = scenario({
      name: "one",
      about: "nothing",
      sizes: { events: 2_000, kills: 5, never: 0 },
      fixed: { downMs: 10_000 },
      run: async (options) => {
        runs.push(options);
        return {};
      },
    });

    await one.run(3, 0.1, () => undefined);

    expect(runs).deep.equal([{ seed: 3, events: 200, kills: 1, never: 0, downMs: 10_000 }]);
  });
});
