/** A part of a broadcast, in seconds from its beginning. */
export type Part = { from: number; to: number };

/** As the service takes clips. */
export const SHORTEST_S = 5;
const LONGEST_S = 60;
const FIRST_LENGTH_S = 30;
/** So much of a broadcast is there to choose from. */
export const CHOICE_S = 90;

/** The whole seconds of what there is. */
export const wholeSeconds = ({ from, to }: Part): Part => ({
  from: Math.max(0, Math.ceil(from)),
  to: Math.max(0, Math.floor(to)),
});

/** What is chosen at first: the half minute up to `until`. */
export function firstRange(choice: Part, until: number): Part {
  const to = Math.min(choice.to, Math.max(Math.round(until), choice.from + SHORTEST_S));
  return { from: Math.max(choice.from, to - FIRST_LENGTH_S), to };
}

/** The range with another beginning: its end comes along where it would become too long, and stops it where it would become too short. */
export function withStart({ to }: Part, from: number): Part {
  const start = Math.min(from, to - SHORTEST_S);
  return { from: start, to: Math.min(to, start + LONGEST_S) };
}

export function withEnd({ from }: Part, to: number): Part {
  const end = Math.max(to, from + SHORTEST_S);
  return { from: Math.max(from, end - LONGEST_S), to: end };
}
