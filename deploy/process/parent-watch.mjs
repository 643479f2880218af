const CHECK_EVERY_MS = 500;

/**
 * Calls `gone` once when the parent process has ended. When npm alone gets a SIGTERM, it passes it to the shell between it and
 * us, which ends without forwarding it; the service would keep running as an orphan. Returns a function that stops watching.
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
