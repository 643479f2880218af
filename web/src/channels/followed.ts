import type { Success } from "@livecore/client";
import { effect, signal } from "@preact/signals";
import { client, userId } from "../site/session.ts";

type Followed = Success<"listFollowedStreams">["items"];

const SHOWN = 20;
const REFRESH_MS = 60_000;

/** The channels that the user follows, live ones first; null until they are known. */
export const followed = signal<Followed | null>(null);
let lastAsked = 0;

/** After a follow or its end. */
export async function refreshFollowed(): Promise<void> {
  const id = userId.peek();
  if (id === null) return;
  const asked = ++lastAsked;
  const answer = await client
    .attempt("listFollowedStreams", { query: { per_page: SHOWN } })
    .catch(() => null);
  // Without an answer the list stays as it is; of two the later question counts.
  if (answer?.ok && userId.peek() === id && asked === lastAsked) followed.value = answer.data.items;
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
