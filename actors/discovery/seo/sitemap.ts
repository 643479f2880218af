import { singleFlight } from "../../../base/single-flight.ts";
import { sitemapPagesIn } from "../../../store/mongo/discovery/sitemap-pages.ts";
import type { Mongo } from "../../../store/mongo/driver/connect.ts";

/** The format allows 50,000 URLs per file, and as many files per index. */
const MAX_FILES = 50_000;
/** How many new files one request may add, so that its time is limited; the next request continues. */
const MAX_NEW_FILES = 500;

export type SitemapEntry = { url: string; changedAt: Date };

/**
 * All channels in order of creation, in files of 10,000. The beginning of a file never changes, and a new file begins where the
 * last one is full, so that nothing is counted again.
 */
export function createSitemap({
  mongo,
  publicUrl,
  perFile = 10_000,
}: {
  mongo: Mongo;
  publicUrl: string;
  perFile?: number;
}) {
  const pages = sitemapPagesIn(mongo.db);
  const running = new Map<string, Promise<number>>();

  async function extend(): Promise<number> {
    let last = await pages.last();
    for (let found = 0; found < MAX_NEW_FILES && (last?.number ?? 0) < MAX_FILES; found++) {
      const next = await pages.userBehind(last?.firstId ?? "", last ? perFile : 0);
      if (next === null) break;
      const page = { number: (last?.number ?? 0) + 1, firstId: next };
      await pages.add(page);
      last = page;
    }
    return last?.number ?? 0;
  }

  return {
    /** URLs of the files in order; the last file grows. */
    async files(): Promise<string[]> {
      const count = await singleFlight(running, "files", extend);
      return Array.from({ length: count }, (_, i) => `${publicUrl}/sitemaps/channels-${i + 1}.xml`);
    },

    /** Streams the entries of one file; null when there is no such file. */
    async entries(number: number): Promise<AsyncIterable<SitemapEntry> | null> {
      const [first, next] = await Promise.all([pages.find(number), pages.find(number + 1)]);
      return first && channels(first.firstId, next?.firstId ?? null);
    },
  };

  async function* channels(fromId: string, beforeId: string | null): AsyncGenerator<SitemapEntry> {
    for await (const { username, updatedAt } of pages.activeUsers(fromId, beforeId)) {
      yield { url: `${publicUrl}/${username}`, changedAt: updatedAt };
    }
  }
}
