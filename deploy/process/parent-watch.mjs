const CHECK_EVERY_MS = 500;

/**
 * Calls `gone` once when the process that started this one has ended. npm passes a SIGTERM that it gets alone to the
 * shell between it and us, which ends without passing it on; a service that went on would be nobody's.
 */
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
