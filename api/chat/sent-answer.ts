import { ServiceError } from "../../contract/errors.ts";
import type { SendOutcome } from "../../realtime/rooms/types.ts";
import { reply } from "../http/reply.ts";

/** The answer to a text that was sent to a room: the message, or 202 while it is held. Throws the room's refusal. */
export function sentAnswer(outcome: SendOutcome) {
  if (outcome.ok) return outcome.message;
  if (outcome.code !== "held") throw ServiceError.of(outcome);
  return reply({ status: 202, body: { held: true as const, id: outcome.id } });
}

/** The answer to a command that was sent as a message. */
export const RAN_AS_COMMAND = reply({ status: 202, body: { held: false as const, success: true as const } });
