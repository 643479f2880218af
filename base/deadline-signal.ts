/**
 * Aborts after `ms`, or with one of `others`. Not `AbortSignal.any([AbortSignal.timeout(ms), …])`: Node 20 lets the garbage
 * collector have the timeout, which then never comes.
 */
export function deadlineSignal(ms: number, ...others: readonly AbortSignal[]): AbortSignal {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new DOMException(`no answer within ${ms / 1_000} s`, "TimeoutError")),
    ms,
  );
  // Waiting alone doesn't keep the process alive.
  timer.unref();
  return AbortSignal.any([late.signal, ...others]);
}
