import type { Schemas } from "../../site/page-data.ts";
import { client } from "../../site/session.ts";

type Hit = { key: string; text: string; verdict: Schemas["BlockedTermVerdict"]["verdict"] };
export type Trial = {
  /** How many messages it was tried on. */
  lines: number;
  /** Those that the term decides on. */
  hits: Hit[];
};

/** As many as one request tests. */
const MOST = 20;
/** Badges of those whose messages no term touches. */
const EXEMPT = ["owner", "moderator"];

/** What a term would have done to the newest messages of ordinary viewers, had it been added before. */
export async function tryOnRecent(streamId: string, draft: Schemas["NewBlockedTerm"]): Promise<Trial> {
  const path = { stream_id: streamId };
  const { items } = await client.call("listChatMessages", { path, query: { limit: 100 } });
  const ofViewers = items.filter(
    ({ content, badges }) => content !== "" && !EXEMPT.some((badge) => badges.includes(badge)),
  );
  const texts = ofViewers.map(({ content }) => content).slice(-MOST);
  if (texts.length === 0) return { lines: 0, hits: [] };
  const tested = await client.call("testBlockedTerms", { path, body: { texts, draft } });
  const hits = tested.items.flatMap(({ text, verdict, by_draft }, at) =>
    by_draft ? [{ key: String(at), text, verdict }] : [],
  );
  return { lines: texts.length, hits };
}
