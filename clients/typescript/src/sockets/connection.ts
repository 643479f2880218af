import { CLOSE_CODES, COME_BACK_AFTER } from "../generated/sockets.ts";
import type { LivecoreError } from "../rest/errors.ts";
import { isPermanentRefusal } from "../rest/tokens.ts";
import { Calls, type Command } from "./calls.ts";
import { CommandThrottle } from "./command-throttle.ts";
import { LivenessMonitor } from "./liveness-monitor.ts";
import {
  type CommandId,
  type CommandMethod,
  messagesIn,
  type ParamsOf,
  type ResultOf,
  type ServerMessage,
} from "./messages.ts";
import type { ConnectionOptions, SocketLike } from "./options.ts";
import { ReconnectDelay } from "./reconnect-delay.ts";
import { isDefinite, isOfTicket, type RefusedUpgrade, refusalIn } from "./refused-upgrade.ts";

/**
 * A connection that survives any number of reconnects.
 *
 * 1. It reconnects after a random delay up to a bound that doubles. The bound starts at `bye.retry_after_ms` when the server
 *    sent one, and at `hello.retry_after_ms` when the socket was lost without a bye.
 * 2. Commands without an answer are sent again over the next socket, no faster than the service accepts them.
 * 3. A socket that is silent for twice the server's `ping_interval`, although the client pinged, is dead: it reconnects.
 * 4. It stays away after close codes that demand it and after a permanent refusal, since reconnecting would end the same
 *    way.
 * 5. It ends with its `signal`, and carries neither commands nor messages over to the next user.
 */

/** The layer above a connection: it decides where to connect to, and receives the messages. */
type ConnectionHandler = {
  /** Path and query of the next socket. */
  path(): string;
  onMessage(message: ServerMessage): void;
  onLost(): void;
};

const FINAL: readonly number[] = Object.values(CLOSE_CODES).filter((code) => !COME_BACK_AFTER.includes(code));
/** Lower codes aren't the service's decision, such as a proxy's 1000. */
const FIRST_OWN_CODE = 4_000;
/** The close code of a socket that never opened. */
const NOT_OPENED = 1_006;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #handler: ConnectionHandler;
  readonly #socketClass: NonNullable<ConnectionOptions["WebSocket"]>;
  readonly #calls = new Calls();
  #socket: SocketLike | null = null;
  #nextId = 1;
  readonly #delay: ReconnectDelay;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isEnded = false;
  /** Whether commands are sent at once. */
  #isReady = false;
  #isGreeted = false;
  #isTicketRefused = false;
  readonly #pace = new CommandThrottle((frame) => this.#socket?.send(frame));
  readonly #silence = new LivenessMonitor({
    ping: () => {
      if (this.#isGreeted) this.send("ping", {});
    },
    giveUp: () => this.#abandon(),
  });

  constructor(options: ConnectionOptions, handler: ConnectionHandler) {
    this.#options = options;
    this.#delay = new ReconnectDelay(options);
    this.#handler = handler;
    const socketClass = options.WebSocket ?? globalThis.WebSocket;
    if (!socketClass) throw new TypeError("There is no WebSocket here: give that of `ws` as an option.");
    this.#socketClass = socketClass;
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
    void this.#connect();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The connection is established: sends all pending commands, and resets the back-off. */
  ready(): void {
    this.#delay.reset();
    this.#isTicketRefused = false;
    this.#isReady = true;
    for (const command of this.#calls.waiting()) this.#transmit(command);
  }

  /** Resolves with the reply's data, rejects with the LivecoreError that refused it; sent again after a reconnect. */
  call<Method extends CommandMethod>(method: Method, params: ParamsOf<Method>): Promise<ResultOf<Method>> {
    const { signal } = this.#options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#isEnded) return Promise.reject(new Error("This client has ended."));
    const command = { id: this.#nextId++, method, params };
    const send = () => this.#isReady && this.#transmit(command);
    return this.#calls.add(command, send) as Promise<ResultOf<Method>>;
  }

  /** Sends a command over the current socket only, if there is one, and returns its id; the reply isn't awaited. */
  send<Method extends CommandMethod>(method: Method, params: ParamsOf<Method>): CommandId {
    const id = this.#nextId++;
    this.#transmit({ id, method, params });
    return id;
  }

  /** Ends the connection for good, because of a refusal. */
  refused(error: LivecoreError): void {
    const socket = this.#socket;
    if (socket) this.#leave(socket);
    this.#finish(NOT_OPENED, error);
  }

  /** Ends the connection for good. */
  close(): void {
    this.#finish(CLOSE_CODES.normal);
    this.#socket?.close(CLOSE_CODES.normal);
  }

  readonly #onAbort = (): void => {
    const socket = this.#socket;
    if (socket) this.#leave(socket, CLOSE_CODES.normal);
    this.#finish(CLOSE_CODES.normal, this.#options.signal?.reason);
  };

  /** Drops the socket as a network failure would; the client reconnects by itself. */
  drop(): void {
    // A lost network also delays `onclose`.
    this.#abandon();
  }

  /** Ends the wait before the next try. */
  retryNow(): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    void this.#connect();
  }

  async #connect(): Promise<void> {
    this.#timer = null;
    try {
      const ticket = (await this.#options.ticket?.()) ?? null;
      if (this.#isEnded) return;
      this.#open(ticket);
    } catch (err) {
      // No ticket, or no socket could be created: handled like a failed connection.
      this.#options.onFrame?.({ failed: String(err) });
      if (isPermanentRefusal(err)) this.#finish(NOT_OPENED, err);
      else this.#comeBack();
    }
  }

  #open(ticket: string | null): void {
    const url = new URL(this.#handler.path(), this.#options.url);
    if (ticket !== null) url.searchParams.set("ticket", ticket);
    const socket = new this.#socketClass(url.href) as SocketLike;
    this.#socket = socket;
    this.#silence.start();
    socket.onmessage = ({ data }) => this.#receive(String(data));
    socket.onerror = () => undefined; // `onclose` follows, with what there is to know
    socket.on?.("unexpected-response", (_request, answer) => void this.#hearRefusal(socket, answer));
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return;
      this.#lose();
      if (code >= FIRST_OWN_CODE && FINAL.includes(code)) this.#finish(code);
      else this.#comeBack();
    };
  }

  /** The other side is gone, so `onclose` may take long: this socket is ignored from now on. */
  #abandon(): void {
    const socket = this.#socket;
    if (!socket) return;
    this.#leave(socket);
    this.#comeBack();
  }

  async #hearRefusal(socket: SocketLike, answer: RefusedUpgrade): Promise<void> {
    // A response that breaks off isn't a decision of the service.
    const error = await refusalIn(answer).catch(() => null);
    if (this.#socket !== socket) return;
    const isOther = error && isOfTicket(error) && !this.#isTicketRefused;
    this.#isTicketRefused = error !== null && isOfTicket(error);
    if (error && isDefinite(error) && !isOther) this.refused(error);
    else this.#abandon();
  }

  #leave(socket: SocketLike, code?: number): void {
    this.#lose();
    socket.onmessage = null;
    socket.close(code);
  }

  #lose(): void {
    this.#socket = null;
    this.#isReady = false;
    this.#isGreeted = false;
    this.#silence.stop();
    this.#pace.reset();
    this.#handler.onLost();
    if (!this.#isEnded) this.#options.onLost?.();
  }

  #receive(text: string): void {
    this.#silence.received();
    const messages = messagesIn(text);
    this.#options.onFrame?.(messages ?? text);
    if (!messages) throw new Error("The server sent a frame of another form.");
    for (const message of messages) {
      // A handler may have ended the connection.
      if (this.#isEnded) return;
      this.#apply(message);
      try {
        this.#handler.onMessage(message);
      } catch (err) {
        this.#report(err);
      }
    }
  }

  /** A handler's exception doesn't affect the rest of the frame. */
  #report(err: unknown): void {
    const {
      onError = (failure) =>
        queueMicrotask(() => {
          throw failure;
        }),
    } = this.#options;
    onError(err);
  }

  #apply(message: ServerMessage): void {
    if (message.type === "hello") {
      // A server that is older than this client doesn't send these.
      const { retry_after_ms: lostWithinMs, ping_interval: pingSeconds }: Partial<typeof message.data> =
        message.data;
      this.#delay.lostWithin(lostWithinMs ?? 0);
      this.#isGreeted = true;
      if (pingSeconds !== undefined) this.#silence.start(pingSeconds * 1_000);
    } else if (message.type === "bye") {
      this.#delay.retryAfter(message.data.retry_after_ms);
    } else if (message.type === "reply") {
      this.#calls.answer(message);
    }
  }

  #transmit({ id, method, params }: Command): void {
    if (this.#socket && !this.#pace.push(JSON.stringify({ id, method, params }))) this.#abandon();
  }

  #comeBack(): void {
    if (this.#isEnded || this.#timer) return;
    this.#timer = setTimeout(() => void this.#connect(), this.#delay.nextMs());
  }

  #finish(code: number, reason?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#isReady = false;
    this.#silence.stop();
    this.#pace.reset();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    const error = reason ?? new Error(`The socket was closed with ${code}.`);
    this.#calls.rejectAll(error);
    this.#options.onEnd?.(code, reason);
  }
}
