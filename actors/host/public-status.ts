import type { ActorState } from "./actor-types.ts";

/** The public status of an actor's state: its top-level state, where `statuses` are all that are public. Throws for another: a bug. */
export function publicStatus<Status extends string>(
  { id, status }: Pick<ActorState<unknown>, "id" | "status">,
  statuses: readonly Status[],
): Status {
  const known = statuses.find((one) => one === status);
  if (!known) throw new Error(`${id} has no public status ${status}`);
  return known;
}
