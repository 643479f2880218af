import type { Page } from "playwright-core";
import { scriptsLoaded } from "./in-page.mjs";

/**
 * Counts how often functions of a page's scripts are called. Scripts are minified, so a function is known by a text in it: the
 * smallest one around that text.
 */
export async function countCalls(page: Page): Promise<{ of(text: string): Promise<number> }> {
  const session = await page.context().newCDPSession(page);
  await session.send("Profiler.enable");
  await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const sources = new Map<string, string>();
  const counts = new Map<string, number>();

  async function read(url: string): Promise<string> {
    const source = sources.get(url) ?? (await (await page.request.get(url)).text());
    sources.set(url, source);
    return source;
  }

  async function take(): Promise<void> {
    // A script of which nothing was called is in no count.
    for (const path of await page.evaluate(scriptsLoaded)) await read(new URL(path, page.url()).href);
    const { result } = await session.send("Profiler.takePreciseCoverage");
    for (const { url, functions } of result.filter((script) => script.url.startsWith("http"))) {
      await read(url);
      for (const { ranges } of functions) {
        const [whole] = ranges;
        if (!whole) continue;
        const key = `${url} ${whole.startOffset} ${whole.endOffset}`;
        counts.set(key, (counts.get(key) ?? 0) + whole.count);
      }
    }
  }

  return {
    /** Since the beginning. Throws if no script of the page has that text. */
    async of(text) {
      await take();
      const found = [...sources].find(([, source]) => source.includes(text));
      if (!found) throw new Error(`no script has ${text}`);
      const [url, source] = found;
      const at = source.indexOf(text);
      const around = [...counts]
        .map(([key, count]) => ({ key: key.split(" "), count }))
        .filter(({ key: [of, from, to] }) => of === url && Number(from) < at && at < Number(to))
        .sort((a, b) => lengthOf(a.key) - lengthOf(b.key));
      // Functions that weren't called aren't listed: what is left around the text is what contains them.
      const [smallest] = around;
      return smallest?.count ?? 0;
    },
  };
}

const lengthOf = ([, from, to]: string[]): number => Number(to) - Number(from);
