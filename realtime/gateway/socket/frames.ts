import type { ServiceError } from "../../../contract/errors.ts";
import type { Command, CommandId, CommandResult, DataMessageType, DataOf } from "../../../contract/wire.ts";

const MAX_EVENTS = 64;
const MAX_BYTES = 15 * 1024;
const OPEN = Buffer.from("[");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");

/**
 * Serialized messages as one frame, in bytes. uWebSockets.js is never handed text: with Node 24 it sends texts of which every character
 * is below U+0100 in Latin-1, and clients close a socket whose text isn't UTF-8.
 */
export const frameOf = (...messages: string[]): Buffer => Buffer.from(`[${messages.join(",")}]`);

/** Batches serialized events into array frames of at most 64 events or 15 KiB: below uWS's 16 KiB cork. */
export function framesOf(payloads: readonly Buffer[]): Buffer[] {
  return [...eachFrameOf(payloads)];
}

/** Lazy, so that a sender that waits between two frames holds no more than one. */
export function* eachFrameOf(payloads: readonly Buffer[]): Generator<Buffer, void, void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for (const payload of payloads) {
    // `parts` has n events and n - 1 commas.
    if (parts.length >= 2 * MAX_EVENTS - 1 || (parts.length > 0 && bytes + payload.length > MAX_BYTES)) {
      yield Buffer.concat([OPEN, ...parts, CLOSE]);
      parts = [];
      bytes = 0;
    }
    if (parts.length > 0) parts.push(COMMA);
    parts.push(payload);
    bytes += payload.length + 1;
  }
  if (parts.length > 0) yield Buffer.concat([OPEN, ...parts, CLOSE]);
}

export function message<Type extends DataMessageType>(
  type: Type,
  channel: string | null,
  data: DataOf<Type>,
): string {
  return relayed(type, channel, data);
}

/** For data that another process published, where the contract's types were checked. */
export function relayed(type: string, channel: string | null, data: unknown): string {
  return JSON.stringify({ type, ...(channel === null ? {} : { channel }), data });
}

export function replyTo<Sent extends Command>({ id }: Sent, data: CommandResult<Sent["method"]>): string {
  return JSON.stringify({ type: "reply", id, data });
}

export function refusalOf(id: CommandId | null, error: ServiceError): string {
  const envelope = error.envelope();
  return JSON.stringify(
    id === null ? { type: "error", data: envelope } : { type: "reply", id, error: envelope },
  );
}
