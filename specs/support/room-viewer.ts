import { WebSocket } from "ws";
import { connectRoom } from "../../realtime/client/room-client.ts";
import { recordFrame } from "../contract/coverage/recorder.ts";
import { problemsInFrame } from "../contract/frames.ts";

/**
 * The reference client in a room of a running service, by its public port. It keeps the messages' texts in the order
 * in which they came, repeats included, and every frame that breaks the contract. Whoever opens it closes it.
 */
export function viewRoom(options: { http: string; streamId: string; ticket?: () => Promise<string> }) {
  const texts: string[] = [];
  const types: string[] = [];
  const problems: unknown[] = [];
  const recovered: unknown[] = [];
  const { streamId, ticket } = options;
  const client = connectRoom({
    url: options.http.replace(/^http/, "ws"),
    streamId,
    WebSocket,
    ...(ticket ? { ticket } : {}),
    onMessage: ({ type, data }) => {
      types.push(type);
      if (typeof data !== "object" || data === null) return;
      if (type === "subscribed") recovered.push("recovered" in data ? data.recovered : undefined);
      if (type === "chat.message") texts.push("content" in data ? String(data.content) : "(no content)");
    },
    onFrame: (frame) => {
      problems.push(...(Array.isArray(frame) ? problemsInFrame(frame) : []));
      recordFrame(options.http, frame);
    },
  });
  return {
    client,
    texts,
    /** Of every message, in the order in which they came. */
    types,
    problems,
    /** `recovered` of each connection's subscription: null, true or false. */
    recovered,
  };
}

export type RoomViewer = ReturnType<typeof viewRoom>;
