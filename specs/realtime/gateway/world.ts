import { expect } from "chai";
import { clientAddressBehind, networksFrom } from "../../../base/addresses.ts";
import { processClock } from "../../../base/clock.ts";
import { newId } from "../../../base/ids.ts";
import { connectRoom, type RoomClientOptions } from "../../../clients/typescript/src/sockets/room-client.ts";
import { recordRefusal } from "../../../contract/coverage/recorder.ts";
import type { ServerMessage } from "../../../contract/frames.ts";
import type { CommandMethod } from "../../../contract/wire.ts";
import { newLocalSocket } from "../../../deploy/processes/upgrade-splice/socket-folder.ts";
import type { GatewayDeps } from "../../../realtime/gateway/deps.ts";
import { type Gateway, startGateway } from "../../../realtime/gateway/gateway.ts";
import type { TicketHolder } from "../../../realtime/gateway/socket/connection.ts";
import { limitsByAddress } from "../../../realtime/gateway/socket/limits.ts";
import type { StreamDoc } from "../../../store/mongo/channels/streams.ts";
import { eventually } from "../../support/eventually.ts";
import { CheckedSocket } from "../../support/frames/checked-socket.ts";
import { checkRefusal } from "../../support/frames/refusals.ts";
import { specSocketFolder } from "../../support/socket-folder.ts";
import { openRoomsWorld, quiet, type RoomsWorld, type Talker, talker } from "../rooms/world.ts";

/** A gateway whose dependencies above the rooms are replaced by tables that specs fill. */
export async function openGatewayWorld(overrides: Partial<GatewayDeps> = {}) {
  const rooms = await openRoomsWorld({ clock: "real" });
  const tickets = new Map<string, TicketHolder>();
  const revokedHandlers = new Set<(revoked: { userId: string; sessionId: string | null }) => void>();
  const revoked = new Set<string>();
  /** Sessions that the database doesn't have, and how long each still counts as verified. */
  const unknown = new Map<string, number>();
  const gateways: Gateway[] = [];
  const sockets: Socket[] = [];
  const clients: ReturnType<typeof connectRoom>[] = [];

  const folder = specSocketFolder();
  const deps: Omit<GatewayDeps, "localSocket"> = {
    port: 0,
    clientAddress: clientAddressBehind(networksFrom([])),
    clock: processClock,
    redis: rooms.redis,
    isRedisElsewhere: () => false,
    rooms: rooms.rooms,
    presence: rooms.presence,
    userEvents: rooms.userEvents,
    control: rooms.control,
    streams: rooms.streams,
    tokens: {
      holderOfTicket: async (ticket) => tickets.get(ticket) ?? null,
      async redeemTicket(ticket) {
        const holder = tickets.get(ticket) ?? null;
        tickets.delete(ticket);
        return holder;
      },
      onRevoked(handler) {
        revokedHandlers.add(handler);
        return () => void revokedHandlers.delete(handler);
      },
      isRevoked: (sessionId) => revoked.has(sessionId),
      refusedOf: async (holders, aheadMs) =>
        [...holders].filter(
          ({ sessionId }) => (unknown.get(sessionId) ?? Number.POSITIVE_INFINITY) < aheadMs,
        ),
      noteRevoked: ({ sessionId }) => void revoked.add(sessionId),
    },
    directory: { onRenamed: () => () => undefined, newNameOf: () => null },
    staff: { isKnownStaff: () => false, onStaffChanged: () => () => undefined },
    staffLog: { roomShown: async () => undefined },
    roomStates: [async () => ({ prediction: null, poll: null, raids: [] })],
    raids: {
      membersCame: async () => undefined,
      membersLeft: async () => undefined,
      membersArrived: async () => undefined,
      optedOut: async () => new Set(),
    },
    watching: {
      heartbeat: async (streamId, viewer) =>
        (await rooms.presence.heartbeat({ streamId, viewer })).viewerCount,
    },
    moderation: {
      deleteMessage: async ({ streamId, uuid }) =>
        void (await rooms.act(streamId, "chat.message_deleted", { uuid }, [{ kind: "delete", uuid }])),
      command: async () => undefined,
      ranAsCommand: async () => false,
    },
    limits: limitsByAddress(1_000),
    allowedOrigins: ["https://front.example"],
    log: quiet,
    ...overrides,
  };

  async function gateway(more: Partial<GatewayDeps> = {}): Promise<Gateway> {
    const started = await startGateway({ ...deps, localSocket: newLocalSocket(folder.path), ...more });
    gateways.push(started);
    return started;
  }

  return {
    ...rooms,
    socketFolder: folder.path,
    gateway,
    ticketFor(user: Talker, more: Partial<TicketHolder> = {}): string {
      const ticket = newId();
      tickets.set(ticket, { ...user, sessionId: newId(), viaCookie: false, grant: null, ...more });
      return ticket;
    },
    revoke(holder: { userId: string; sessionId: string }): void {
      revoked.add(holder.sessionId);
      for (const handler of revokedHandlers) handler(holder);
    },
    forget: (sessionId: string, verifiedForMs: number) => void unknown.set(sessionId, verifiedForMs),
    /** `address` is the client address that is forwarded, for a gateway that trusts us as a proxy. */
    socket(at: Gateway, path: string, options: { origin?: string; address?: string } = {}): Socket {
      const { origin, address } = options;
      const headers = address === undefined ? {} : { "x-forwarded-for": address };
      const socket = new Socket(`ws://127.0.0.1:${at.port}${path}`, origin, headers);
      sockets.push(socket);
      return socket;
    },
    /** The reference client, with every frame validated against the contract. */
    client(options: Omit<RoomClientOptions, "WebSocket">) {
      const seen: ServerMessage[] = [];
      const client = connectRoom({
        baseDelayMs: 20,
        ...options,
        WebSocket: CheckedSocket,
        onMessage: (message) => void seen.push(message),
      });
      clients.push(client);
      return Object.assign(client, { seen });
    },
    async close(): Promise<void> {
      for (const client of clients) client.close();
      for (const socket of sockets) socket.terminate();
      await Promise.all(gateways.map((started) => started.stop()));
      folder.remove();
      await rooms.close();
    },
  };
}

export type GatewayWorld = Awaited<ReturnType<typeof openGatewayWorld>>;

/** Waits until `find` returns a value. */
export function until<T>(find: () => T | null | undefined, what: string, withinMs = 5_000): Promise<T> {
  return eventually<T>(
    () => {
      const found = find();
      if (found === null || found === undefined) throw new Error(`still waiting for ${what}`);
      return found;
    },
    { withinMs },
  );
}

/** A bare socket: keeps the messages, and validates frames in both directions against the contract. */
export class Socket {
  readonly messages: ServerMessage[] = [];
  readonly ws: CheckedSocket;
  closed: { code: number; reason: string } | null = null;
  /** The response to a refused upgrade. */
  refused: { status: number; body: unknown; headers: Record<string, unknown> } | null = null;
  private nextId = 1;

  /** `localAddress` is the address that the other side sees. */
  constructor(
    url: string,
    origin?: string,
    { localAddress, ...headers }: Record<string, string> & { localAddress?: string } = {},
  ) {
    this.ws = new CheckedSocket(url, {
      headers,
      ...(localAddress === undefined ? {} : { localAddress }),
      ...(origin === undefined ? {} : { origin }),
    });
    this.ws.on("message", (data) => {
      const frame: ServerMessage[] = JSON.parse(String(data));
      this.messages.push(...frame);
    });
    this.ws.on("close", (code, reason) => {
      this.closed = { code, reason: String(reason) };
    });
    this.ws.on("error", () => undefined); // "close" or the refusal reports it
    this.ws.on("unexpected-response", (_request, response) => {
      let text = "";
      response.on("data", (part) => {
        text += part;
      });
      response.on("end", () => {
        const status = response.statusCode ?? 0;
        this.refused = { status, body: JSON.parse(text), headers: response.headers };
        checkRefusal(url, this.refused.body);
        recordRefusal(url, { ...this.refused, retryAfter: response.headers["retry-after"] ?? null });
      });
    });
  }

  ofType(type: string): ServerMessage[] {
    return this.messages.filter((message) => message.type === type);
  }

  next(type: string): Promise<ServerMessage> {
    return until(() => this.ofType(type)[0], `a ${type} message`);
  }

  get problems(): unknown[] {
    return this.ws.problems;
  }

  command(method: CommandMethod, params: object = {}, withinMs?: number): Promise<ServerMessage> {
    return this.ask(method, params, (text) => this.ws.send(text), withinMs);
  }

  /** Sends a command that the contract doesn't have, or with invalid params. */
  malformed(method: string, params: object = {}): Promise<ServerMessage> {
    return this.ask(method, params, (text) => this.ws.sendMalformed(text));
  }

  private async ask(
    method: string,
    params: object,
    send: (text: string) => void,
    withinMs?: number,
  ): Promise<ServerMessage> {
    const id = this.nextId++;
    await eventually(() => this.ws.readyState === this.ws.OPEN, { what: "an open socket" });
    send(JSON.stringify({ id, method, params }));
    const reply = () => this.ofType("reply").find((one) => one.id === id);
    return until(reply, `the reply to ${method}`, withinMs);
  }

  ending(): Promise<{ code: number; reason: string }> {
    return until(() => this.closed, "the socket's end");
  }

  refusal() {
    return until(() => this.refused, "a refused upgrade");
  }

  terminate(): void {
    this.ws.terminate();
  }
}

/** Each text is sent by a new talker. */
export async function chatter(world: RoomsWorld, stream: StreamDoc, texts: readonly string[]): Promise<void> {
  for (const text of texts) await world.say(stream, talker(), text);
}

export function textsIn(messages: readonly ServerMessage[]): string[] {
  return messages.flatMap(({ type, data }) =>
    type === "chat.message" ? [(data as { content: string }).content] : [],
  );
}

export function expectContiguous(messages: readonly ServerMessage[], from: number): void {
  const seqs = messages.flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
  expect(seqs).deep.equal(seqs.map((_seq, i) => from + i));
}
