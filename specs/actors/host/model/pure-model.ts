import { againstModel, type ModelOptions } from "./against-model.ts";
import { pureSubject } from "./pure-subject.ts";

const BEGIN = Date.UTC(2126, 5, 1, 20);

/** Compares the decision logic of predictions and points, without a store, with the model. */
export function runPureModel(
  options: ModelOptions,
  print: (line: string) => void,
): Promise<Record<string, number>> {
  print(`pure model: seed ${options.seed}`);
  const begin = async () => ({ subject: pureSubject(BEGIN), now: BEGIN });
  return againstModel("pure", options, begin, async () => undefined);
}
