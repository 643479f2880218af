/** The other end of child.ts: what a spec's own process is told at its start, and by whom it is ended. */

/** The one argument that the parent gave. Ends the process when the parent goes, so that none is left behind. */
export function inputFromParent<T>(fits: (input: unknown) => input is T): T {
  process.on("disconnect", () => process.exit(0));
  const input: unknown = JSON.parse(process.argv[2] ?? "null");
  if (!fits(input)) throw new Error(`this process can't be started with ${process.argv[2]}`);
  return input;
}

export function tellParent(message: object): void {
  if (process.connected) process.send?.(message);
}

/** True for an object with at least these fields. */
export function hasFields<Name extends string>(
  value: unknown,
  ...names: Name[]
): value is Record<Name, unknown> {
  return typeof value === "object" && value !== null && names.every((name) => name in value);
}
