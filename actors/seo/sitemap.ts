import type { Mongo } from "../../store/mongo/connect.ts";
import { sitemapPagesIn } from "../../store/mongo/sitemap-pages.ts";
import { once } from "../../store/single-flight.ts";

/** The format allows 50,000 in a file, and as many files in an index. */
const MOST_FILES = 50_000;
/** Files that one request may find to be full, so that it ends; the next one goes on. */
const MOST_FOUND = 500;

export type SitemapEntry = { url: string; changedAt: Date };

/**
 * All channels, in files of 10,000 by the order in which they were made: where a file begins stays as it is, and a new
 * one begins where the last is full, so that nothing is counted over.
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
    for (let found = 0; found < MOST_FOUND && (last?.number ?? 0) < MOST_FILES; found++) {
      const next = await pages.userBehind(last?.firstId ?? "", last ? perFile : 0);
      if (next === null) break;
      const page = { number: (last?.number ?? 0) + 1, firstId: next };
      await pages.add(page);
      last = page;
    }
    return last?.number ?? 0;
  }

  return {
    /** Addresses of the files, from the first on; the last one grows. */
    async files(): Promise<string[]> {
      const count = await once(running, "files", extend);
      return Array.from({ length: count }, (_, i) => `${publicUrl}/sitemaps/channels-${i + 1}.xml`);
    },

    /** What is in one of them, as it is read; null when there is no such file. */
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
