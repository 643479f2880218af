import { SUBJECTS } from "../generated/subjects.ts";
import type { Subject } from "./subject.ts";

/** Throws for a machine that has none. */
export function subjectOf(machine: string): Subject {
  const subject = SUBJECTS.find((one) => one.machine === machine);
  if (!subject) throw new Error(`specs/actors/<context>/${machine}/subject.ts is missing`);
  return subject;
}
