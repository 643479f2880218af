import type { Peer } from "../../contract/peers.ts";
import type { PeerSecrets } from "../../deploy/processes/config/peer-secrets.ts";
import { Secret } from "../../deploy/processes/config/secret.ts";

export const SYSTEM_KEYS: Readonly<Record<Peer, string>> = {
  ingest: "spec-ingest-key-0123456789abcdefg",
  edge: "spec-edge-key-0123456789abcdefghi",
  media: "spec-media-key-0123456789abcdefgh",
  billing: "spec-billing-key-0123456789abcdef",
};

const signing = (text: string) => `whsec_${Buffer.from(text).toString("base64")}`;

/** Two of each, as during a rotation; one is the key itself, byte by byte. */
export const WEBHOOK_SECRETS = {
  media: [signing("media signing key number one!"), signing("media signing key number two!")],
  billing: [signing("billing signing key number one"), "billing signing key number two, as it stands"],
} as const;

/** Signs requests to the media service. */
export const REQUEST_SECRET = signing("signs requests to the media service");

const secrets = (texts: readonly string[]) => texts.map((text) => new Secret(text));

export const PEER_SECRETS: PeerSecrets = {
  peers: {
    ingest: { keys: secrets([SYSTEM_KEYS.ingest]), webhookSecrets: [] },
    edge: { keys: secrets([SYSTEM_KEYS.edge]), webhookSecrets: [] },
    media: { keys: secrets([SYSTEM_KEYS.media]), webhookSecrets: secrets(WEBHOOK_SECRETS.media) },
    billing: { keys: secrets([SYSTEM_KEYS.billing]), webhookSecrets: secrets(WEBHOOK_SECRETS.billing) },
  },
  mediaRequests: secrets([REQUEST_SECRET]),
};
