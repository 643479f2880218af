import type { Page, WebSocketRoute } from "playwright-core";

/** Lets a page hear made-up events of a room beside its own ones: people may not say so many. Before the page is opened. */
export async function madeUpRoom(page: Page, streamId: string) {
  let socket: WebSocketRoute | null = null;
  await page.routeWebSocket(/./, (route) => {
    socket = route;
    route.connectToServer();
  });
  return (type: string, all: object[]): void => {
    const rest = { type, channel: `chat:${streamId}`, ts: Date.now() };
    socket?.send(JSON.stringify(all.map((data) => ({ ...rest, seq: 1, data }))));
  };
}
