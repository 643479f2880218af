import type { Document } from "mongodb";
import { resetRequestsCollection } from "../../store/mongo/accounts/password-reset-requests.ts";
import { signingKeysCollection } from "../../store/mongo/accounts/signing-keys.ts";
import { twoFactorsCollection } from "../../store/mongo/accounts/two-factor.ts";
import { streamsCollection } from "../../store/mongo/channels/streams.ts";
import { timersCollection } from "../../store/mongo/host/timers.ts";
import { mailsCollection } from "../../store/mongo/notifications/mails.ts";
import { pushDevicesCollection } from "../../store/mongo/notifications/push-devices.ts";
import { passwordResetContext } from "../accounts/sign-in/recovery.ts";
import { signingKeyContext } from "../accounts/tokens/signing-keys.ts";
import { totpContext } from "../accounts/two-factor/enrolment.ts";
import { streamKeyContext } from "../keys/sealing.ts";
import { mailContext } from "../mail/mails.ts";
import { pushTokenContext } from "../notifications/push/push-devices.ts";

/** A field that may contain a sealed value, and the context under which it is sealed. */
export type SealedField = {
  collection: string;
  /** A dotted path. */
  field: string;
  contextOf(doc: Document & { _id: unknown }): string;
};

/**
 * All sealed fields; `npm run keys -- reseal` scans them. A spec checks the whole database after every operation of the API
 * document has been called, and fails for a sealed value that isn't listed here.
 */
export const SEALED_FIELDS: readonly SealedField[] = [
  {
    collection: signingKeysCollection.name,
    field: "privateSealed",
    contextOf: ({ _id }) => signingKeyContext(String(_id)),
  },
  {
    collection: streamsCollection.name,
    field: "streamKeySealed",
    contextOf: ({ _id }) => streamKeyContext(String(_id)),
  },
  {
    // In messages to the stream's actor.
    collection: timersCollection.name,
    field: "event.keySealed",
    contextOf: ({ actor }) => streamKeyContext(String(actor).slice("live-stream:".length)),
  },
  {
    collection: mailsCollection.name,
    field: "sealed",
    contextOf: ({ _id }) => mailContext(String(_id)),
  },
  {
    collection: resetRequestsCollection.name,
    field: "sealed",
    contextOf: ({ _id }) => passwordResetContext(String(_id)),
  },
  {
    collection: pushDevicesCollection.name,
    field: "tokenSealed",
    contextOf: ({ _id }) => pushTokenContext(String(_id)),
  },
  {
    collection: twoFactorsCollection.name,
    field: "secretSealed",
    contextOf: ({ _id }) => totpContext(String(_id)),
  },
  {
    collection: twoFactorsCollection.name,
    field: "pending.secretSealed",
    contextOf: ({ _id }) => totpContext(String(_id)),
  },
];
