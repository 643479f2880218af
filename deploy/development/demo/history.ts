import type { LivecoreClient } from "../../../clients/typescript/src/index.ts";

/** The uuids of all messages of the room as REST lists them, oldest first. */
export async function history(client: LivecoreClient, streamId: string): Promise<string[]> {
  const pages: string[][] = [];
  let before: string | null = null;
  for (let page = 0; page < 10_000; page++) {
    const query: { limit: number; before?: string } = { limit: 100, ...(before === null ? {} : { before }) };
    const body = await client.call("listChatMessages", { path: { stream_id: streamId }, query });
    pages.unshift(body.items.map(({ uuid }) => uuid));
    before = body.before_cursor;
    if (!body.has_more) break;
  }
  return pages.flat();
}
