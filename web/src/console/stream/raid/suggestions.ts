import { useEffect, useState } from "preact/hooks";
import type { Schemas } from "../../../site/page-data.ts";
import { useRead } from "../../../site/read.ts";
import { client, type Me } from "../../../site/session.ts";

export type Target = Pick<Schemas["UserSummary"], "id" | "username" | "username_title" | "image_url">;
/** `why`: by what it was found. */
type Suggestion = { user: Target; viewers: number; why: "raided" | "followed" | "category" };

const PER_PAGE = 10;
/** Of the last raids, so many raiders are looked at. */
const MOST_RAIDERS = 5;
const RAIDS = 24;
const MOST = 8;

/** Live channels to raid: who has raided this one, whom its owner follows, then who is in the same category. Null until they are known. */
export function useSuggestions(user: Me, categoryId: string | null): readonly Suggestion[] | null {
  const followed = useRead("listFollowedStreams", { query: { per_page: PER_PAGE } });
  const category = useRead(
    "listCategoryStreams",
    categoryId === null
      ? null
      : { path: { category_id: categoryId }, query: { sort: "viewers", per_page: PER_PAGE } },
    { isForAll: true },
  );
  const raiders = useRaiders(user);
  const isRead = ({ data, problem }: { data: unknown; problem: string | null }) =>
    data !== undefined || problem !== null;
  if (raiders === null || !isRead(followed) || (categoryId !== null && !isRead(category))) return null;
  const cards = (items: readonly Schemas["StreamCard"][], why: Suggestion["why"]): Suggestion[] =>
    items
      .filter(({ is_live }) => is_live)
      .map(({ user, realtime_viewer_count: viewers }) => ({ user, viewers, why }));
  const all = [
    ...raiders,
    ...cards(followed.data?.items ?? [], "followed"),
    ...cards(category.data?.items ?? [], "category"),
  ].filter((one) => one.user.id !== user.id);
  return [...new Map(all.toReversed().map((one) => [one.user.id, one])).values()].toReversed().slice(0, MOST);
}

/** Those of the last raiders that are live; null until it is known. */
function useRaiders(user: Me): readonly Suggestion[] | null {
  const raids = useRead("listMyRaids", { query: { per_page: RAIDS } });
  const [raiders, setRaiders] = useState<readonly Suggestion[] | null>(null);
  useEffect(() => {
    if (raids.data === undefined) return;
    const came = raids.data.items.flatMap(({ source_user, target_user_id }) =>
      source_user && target_user_id === user.id ? [source_user] : [],
    );
    const last = [...new Map(came.map((one) => [one.id, one])).values()].slice(0, MOST_RAIDERS);
    let isShown = true;
    void Promise.all(last.map(liveOf)).then((found) => {
      if (isShown) setRaiders(found.flat());
    });
    return () => {
      isShown = false;
    };
  }, [raids.data]);
  return raids.problem === null ? raiders : [];
}

/** Empty unless it is live. Without an answer the others are enough. */
async function liveOf(user: Schemas["UserSummary"]): Promise<Suggestion[]> {
  const path = { username: user.username };
  const answer = await client.attempt("getUserStream", { path }).catch(() => null);
  return answer?.ok && answer.data.is_live
    ? [{ user, viewers: answer.data.realtime_viewer_count, why: "raided" }]
    : [];
}
