import type { Behaviour } from "./inventory/behaviours.ts";
import { claim } from "./recorder.ts";

/** Declares that a test covers these behaviours of the interface's core (docs/interface.md); counted when it passes. */
export function shows(...behaviours: Behaviour[]): void {
  for (const behaviour of behaviours) claim(behaviour);
}
