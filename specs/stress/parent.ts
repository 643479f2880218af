/** The child's side of child.ts: its input and its messages to the parent. */

/** Parses the parent's input. The process exits when the parent goes, so that no orphan is left. */
export function inputFromParent<T>(fits: (input: unknown) => input is T): T {
  process.on("disconnect", () => process.exit(0));
  const input: unknown = JSON.parse(process.argv[2] ?? "null");
  if (!fits(input)) throw new Error(`this process can't be started with ${process.argv[2]}`);
  return input;
}

export function sendToParent(message: object): void {
  if (process.connected) process.send?.(message);
}

/** True for an object with at least these fields. */
export function hasFields<Name extends string>(
  value: unknown,
  ...names: Name[]
): value is Record<Name, unknown> {
  return typeof value === "object" && value !== null && names.every((name) => name in value);
}
