const CHECK_EVERY_MS = 500;

/** The variable that says that a process ends when its parent has ended, however that went. */
export const ENDS_WITH_PARENT_VARIABLE = "LIVECORE_ENDS_WITH_PARENT";

/** Calls `gone` once when the parent process has ended. Returns a function that stops watching. */
export function watchParent(gone) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
