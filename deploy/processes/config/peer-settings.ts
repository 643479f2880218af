import * as schema from "./schemas.ts";
import { setting } from "./setting.ts";

const SIGNING =
  "as `whsec_` followed by the key in base64; any other text is used as a key byte by byte. All of them verify, so that one can be replaced";

/** Secrets that we share with another service: one for each service and direction, so that none opens what another is for. */
export const PEER_SETTINGS = {
  ingestKeys: setting(
    "INGEST_KEYS",
    schema.optionalSecrets,
    "",
    "Keys of the RTMP server, in X-System-Key or `?system_key=`: for the publish hooks and `/v1/system/ingest-config`. All are valid. Required; generated once outside production.",
  ),
  mediaKeys: setting(
    "MEDIA_KEYS",
    schema.optionalSecrets,
    "",
    "Keys of the media service, in X-System-Key: for `/v1/webhooks/media`. Required with MEDIA_HOOKS or MEDIA_URL; otherwise, if not set, that webhook is closed. Generated once outside production.",
  ),
  mediaWebhookSecrets: setting(
    "MEDIA_WEBHOOK_SECRETS",
    schema.optionalSecrets,
    "",
    `Secrets with which the media service signs its webhooks, ${SIGNING}. Required as MEDIA_KEYS is. Generated once outside production.`,
  ),
  mediaRequestSecrets: setting(
    "MEDIA_REQUEST_SECRETS",
    schema.optionalSecrets,
    "",
    "Secrets for our requests to the media service, in the same form. The first one signs. Required with MEDIA_URL. Generated once outside production.",
  ),
  billingKeys: setting(
    "BILLING_KEYS",
    schema.optionalSecrets,
    "",
    "Keys of a payment platform that sends our own hooks, in X-System-Key: for `/v1/webhooks/billing`. If not set, that webhook is closed; with STRIPE_SECRET_KEY it always is. Generated once outside production.",
  ),
  billingWebhookSecrets: setting(
    "BILLING_WEBHOOK_SECRETS",
    schema.optionalSecrets,
    "",
    `Secrets with which that platform signs its webhooks, ${SIGNING}. Required with BILLING_KEYS. Generated once outside production.`,
  ),
  edgeConfigKeys: setting(
    "EDGE_CONFIG_KEYS",
    schema.optionalSecrets,
    "",
    "Keys of the edge, in X-System-Key: for `/v1/system/edge-config`, which returns EDGE_KEYS. If not set, it is closed. Generated once outside production.",
  ),
  systemKey: setting(
    "SYSTEM_KEY",
    schema.loneSecret,
    "",
    "Deprecated: counts as each of INGEST_KEYS, MEDIA_KEYS, BILLING_KEYS and EDGE_CONFIG_KEYS that isn't set, and each start warns of it.",
  ),
  webhookSecrets: setting(
    "WEBHOOK_SECRETS",
    schema.optionalSecrets,
    "",
    "Deprecated: counts as each of MEDIA_WEBHOOK_SECRETS, MEDIA_REQUEST_SECRETS and BILLING_WEBHOOK_SECRETS that isn't set, and each start warns of it.",
  ),
};
