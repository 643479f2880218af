import type { Success } from "@livecore/client";
import { effect, signal } from "@preact/signals";
import { client, userId } from "../site/session.ts";

type Followed = Success<"listFollowedStreams">["items"];

const SHOWN = 20;
const REFRESH_MS = 60_000;

/** The channels that the user follows, live ones first; null until they are known. */
export const followed = signal<Followed | null>(null);

/** After a follow or its end. */
export async function refreshFollowed(): Promise<void> {
  const id = userId.peek();
  if (id === null) return;
  const answer = await client
    .attempt("listFollowedStreams", { query: { per_page: SHOWN } })
    .catch(() => null);
  // Without an answer the list stays as it is.
  if (answer?.ok && userId.peek() === id) followed.value = answer.data.items;
}

effect(() => {
  followed.value = null;
  if (userId.value === null) return;
  void refreshFollowed();
  const timer = setInterval(() => {
    if (document.visibilityState === "visible") void refreshFollowed();
  }, REFRESH_MS);
  return () => clearInterval(timer);
});
