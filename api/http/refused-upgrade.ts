import { type IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { ServiceError } from "../../contract/errors.ts";

const refusals = new WeakMap<IncomingMessage, ServiceError>();

/** Has the app answer that request with `error`. */
export function refuseRequest(request: IncomingMessage, error: ServiceError): void {
  refusals.set(request, error);
}

/** Throws the error with which a request was refused before it got here, so that it is counted, limited and answered like any other refusal. */
export function throwIfRefused(req: IncomingMessage): void {
  const refusal = refusals.get(req);
  if (refusal) throw refusal;
}

/**
 * Answers an upgrade as the plain request that it also is (RFC 9110, 7.8), or with `refusal`, as the last one of its
 * connection: what follows on it was taken from the server's parser. `end` ends the connection.
 */
export function answerUpgradeAsRequest(
  answer: RequestListener,
  { request, client, refusal }: { request: IncomingMessage; client: Duplex; refusal: ServiceError | null },
  end: (client: Duplex) => void,
): void {
  if (!(client instanceof Socket) || !client.writable) {
    client.destroy();
    return;
  }
  if (refusal) refuseRequest(request, refusal);
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(client);
  response.once("close", () => end(client));
  response.once("finish", () => {
    response.detachSocket(client);
    // As a server does it for its own responses: what counts and logs answers waits for this.
    process.nextTick(() => response.emit("close"));
  });
  answer(request, response);
}
