import { standardOutput } from "./standard-output.ts";

const LAST_LINES_WITHIN_MS = 1_000;

/** For a process that the primary started: a terminal's and the process group's signals are handled by the primary. */
export function leaveSignalsToPrimary(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const)
    process.on(signal, () => undefined);
}

/** `then` runs after sending, also when sending is impossible because the primary and its channel are gone. */
export function tellPrimary<Message extends object>(
  message: Message,
  then: () => void = () => undefined,
): void {
  if (process.send && process.connected) process.send(message, undefined, undefined, then);
  else then();
}

/** Exits once the last lines are written, which are lost when nobody reads them. */
export async function exitAfterLastLines(code: number): Promise<never> {
  await standardOutput().written(LAST_LINES_WITHIN_MS);
  process.exit(code);
}
