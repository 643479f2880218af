/**
 * The chunks of a response's body. Throws the reason of `signal` when that aborts; that, and leaving the loop early, closes the
 * connection. `signal` is the one that the fetch was given: Node 20's forgets it while the body arrives, once the garbage
 * collector has taken the request.
 */
export async function* responseChunks({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  // A body that has failed already says so by `read`.
  const close = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", close, { once: true });
  try {
    while (true) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}
