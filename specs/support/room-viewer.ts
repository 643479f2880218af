import { connectRoom } from "../../clients/typescript/src/sockets/room-client.ts";
import type { FrameProblem, ServerMessage } from "../../contract/frames.ts";
import { CheckedSocket } from "./frames/checked-socket.ts";

/**
 * The reference client in a room of a running service, over the public port. It keeps messages' texts in order of arrival,
 * including repeats, and all frames that break the contract. The caller closes it.
 */
export function viewRoom(options: {
  http: string;
  streamId: string;
  ticket?: () => Promise<string>;
  onMessage?: (message: ServerMessage) => void;
}) {
  const texts: string[] = [];
  const types: string[] = [];
  const problems: FrameProblem[] = [];
  const recovered: unknown[] = [];
  const { streamId, ticket, onMessage = () => undefined } = options;
  const client = connectRoom({
    url: options.http.replace(/^http/, "ws"),
    streamId,
    WebSocket: class extends CheckedSocket {
      override readonly problems = problems;
    },
    ...(ticket ? { ticket } : {}),
    onMessage: (message) => {
      const { type, data } = message;
      onMessage(message);
      types.push(type);
      if (typeof data !== "object" || data === null) return;
      if (type === "subscribed") recovered.push("recovered" in data ? data.recovered : undefined);
      if (type === "chat.message") texts.push("content" in data ? String(data.content) : "(no content)");
    },
  });
  return {
    client,
    texts,
    /** The types of all messages, in order of arrival. */
    types,
    problems,
    /** `recovered` of each connection's subscription: null, true or false. */
    recovered,
  };
}

export type RoomViewer = ReturnType<typeof viewRoom>;
