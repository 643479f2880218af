import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Whether each thread of a process has stopped (SIGSTOP); true where the system doesn't report it. */
export function isStopped(pid: number): boolean {
  if (!existsSync("/proc/self/task")) return true;
  const threads = `/proc/${pid}/task`;
  const statOf = (id: string) => join(threads, id, "stat");
  // A thread that ended meanwhile has no file any more, and the process wasn't stopped yet. Field 3 comes after the name in parentheses.
  return readdirSync(threads).every(
    (id) => existsSync(statOf(id)) && /\) T /.test(readFileSync(statOf(id), "utf8")),
  );
}
