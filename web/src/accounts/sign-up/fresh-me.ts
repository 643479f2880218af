import { useEffect } from "preact/hooks";
import { client, me, updatedMe } from "../../site/session.ts";

const EVERY_MS = 5_000;

/** Reads the user's own account again and again while the page is seen: it changes elsewhere, by a link in a mail. */
export function useFreshMe(isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    const ended = new AbortController();
    const { signal } = ended;
    const look = async (): Promise<void> => {
      if (document.visibilityState !== "visible") return;
      const answer = await client.attempt("getMe", { signal, retry: false }).catch(() => null);
      if (answer?.ok && answer.data.id === me.peek()?.id) updatedMe(answer.data);
    };
    const timer = setInterval(() => void look(), EVERY_MS);
    document.addEventListener("visibilitychange", () => void look(), { signal });
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [isWanted]);
}
