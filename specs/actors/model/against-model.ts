import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { Model } from "./model.ts";
import type { Names, Subject } from "./names.ts";
import { operationsIn, RUNS, type Step } from "./operations.ts";
import { REGRESSIONS } from "./regressions.ts";

export type ModelOptions = {
  seed: number;
  /** Operations to go through, at least. */
  operations: number;
};

type Kind = "pure" | "stored";
type Named = Subject & { names: Names };

/** Runs are of random length, so that no number of them promises so many operations: whole rounds go on until they are there. */
const RUNS_A_ROUND = 25;

/**
 * Goes through random runs, each on a subject of its own that begins at `now`, and holds every answer and all that can be
 * looked up after each step against the model. Earlier failures come first. `over` looks at what is left of a run.
 */
export async function againstModel(
  kind: Kind,
  { seed, operations }: ModelOptions,
  begin: () => Promise<{ subject: Named; now: number }>,
  over: (subject: Named) => Promise<void>,
): Promise<Record<string, number>> {
  const figures = { seed, runs: 0, operations: 0, accepted: 0, refused: 0 };
  const began = performance.now();

  const holds = fc.asyncProperty(RUNS[kind], async (steps) => {
    if (figures.operations >= operations) return;
    const { subject, now } = await begin();
    const model = new Model(now, subject.names.order);
    for (const [i, step] of steps.entries()) await expectSame(model, subject, step, i, figures);
    await over(subject);
    figures.runs += 1;
    figures.operations += operationsIn(steps);
  });

  for (const { of, seed, path } of REGRESSIONS) {
    if (of === kind) await fc.assert(holds, { seed, path, endOnFailure: true });
  }
  for (let round = 0; figures.operations < operations; round++) {
    expect(round, "rounds").below(operations);
    await fc.assert(holds, { seed: seed + round, numRuns: RUNS_A_ROUND });
  }
  return { ...figures, seconds: Math.round((performance.now() - began) / 1_000) };
}

async function expectSame(
  model: Model,
  subject: Subject,
  step: Step,
  i: number,
  figures: { accepted: number; refused: number },
): Promise<void> {
  const expected = model.take(step);
  const answers = await subject.take(step);
  expectEqual(answers, expected, `answers of step ${i}`);
  expectEqual(await subject.standing(), model.standing(), `what is there after step ${i}`);
  for (const answer of answers) {
    if (answer) figures["ok" in answer ? "accepted" : "refused"] += 1;
  }
}

/** Node's own comparison first: a million of chai's take minutes. */
function expectEqual(real: unknown, modelled: unknown, what: string): void {
  if (!isDeepStrictEqual(real, modelled))
    expect(real, `${what}: ${JSON.stringify(real)}`).deep.equal(modelled);
}
