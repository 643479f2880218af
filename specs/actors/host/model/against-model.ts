import { isDeepStrictEqual } from "node:util";
import { expect } from "chai";
import fc from "fast-check";
import { Model } from "./model.ts";
import type { Names, Subject } from "./names.ts";
import { operationsIn, RUNS, type Step } from "./operations.ts";
import { REGRESSIONS } from "./regressions.ts";

export type ModelOptions = {
  seed: number;
  /** Minimum number of operations. */
  operations: number;
};

type Kind = "pure" | "stored";
type Named = Subject & { names: Names };

/** Runs have random lengths, so no number of runs guarantees a number of operations: whole rounds run until there are enough. */
const RUNS_A_ROUND = 25;

/**
 * Executes random runs, each on a new subject that starts at `now`, and compares every answer and the visible state after each
 * step with the model. Earlier failures come first. `over` checks what is left of a run.
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

/** Node's own comparison first: a million of chai's would take minutes. */
function expectEqual(real: unknown, modelled: unknown, what: string): void {
  if (!isDeepStrictEqual(real, modelled))
    expect(real, `${what}: ${JSON.stringify(real)}`).deep.equal(modelled);
}
