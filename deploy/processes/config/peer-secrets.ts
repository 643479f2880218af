import type { Peer } from "../../../contract/peers.ts";
import type { Environment } from "./environment.ts";
import { PEER_SETTINGS } from "./peer-settings.ts";
import { given, missing, type Reader } from "./reading.ts";
import type { Secret } from "./secret.ts";
import type { Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** Secrets by service and direction. An empty list closes the door that it is for. */
export type PeerSecrets = {
  peers: Record<Peer, { keys: readonly Secret[]; webhookSecrets: readonly Secret[] }>;
  /** For our requests to the media service; the first one signs. */
  mediaRequests: readonly Secret[];
};

const { systemKey, webhookSecrets, ...OWN } = PEER_SETTINGS;
const KEYS = [OWN.ingestKeys, OWN.mediaKeys, OWN.billingKeys, OWN.edgeConfigKeys];
const SIGNING = [OWN.mediaWebhookSecrets, OWN.mediaRequestSecrets, OWN.billingWebhookSecrets];

/** The variables that development generates; the older variable that makes one of them unnecessary comes second. */
export const PEER_VARIABLES: readonly (readonly [name: string, older: string])[] = [
  ...KEYS.map(({ name }) => [name, systemKey.name] as const),
  ...SIGNING.map(({ name }) => [name, webhookSecrets.name] as const),
];

export function peerSecretsFrom(value: Reader): PeerSecrets {
  const one = value(systemKey);
  const keys = (own: Setting<readonly Secret[]>) => orElse(value(own), one === null ? [] : [one]);
  const signing = (own: Setting<readonly Secret[]>) => orElse(value(own), value(webhookSecrets));
  return {
    peers: {
      ingest: { keys: keys(OWN.ingestKeys), webhookSecrets: [] },
      edge: { keys: keys(OWN.edgeConfigKeys), webhookSecrets: [] },
      media: { keys: keys(OWN.mediaKeys), webhookSecrets: signing(OWN.mediaWebhookSecrets) },
      billing: { keys: keys(OWN.billingKeys), webhookSecrets: signing(OWN.billingWebhookSecrets) },
    },
    mediaRequests: signing(OWN.mediaRequestSecrets),
  };
}

const orElse = <T>(own: readonly T[], older: readonly T[]) => (own.length > 0 ? own : older);

/** The older variables that are given, each with the variables that it still stands in for. */
export const standIns = (env: Environment): { older: Setting<unknown>; unset: string[] }[] =>
  [systemKey, webhookSecrets].flatMap((older: Setting<unknown>) => {
    const unset = PEER_VARIABLES.flatMap(([name, by]) =>
      by === older.name && !env[name]?.trim() ? [name] : [],
    );
    return given(env, older) && unset.length > 0 ? [{ older, unset }] : [];
  });

/** The same by their names, for the warning at the start. */
export const sharedSecretsIn = (env: Environment): { shared: string; unset: string[] }[] =>
  standIns(env).map(({ older, unset }) => ({ shared: older.name, unset }));

/** Missing secrets of what is used. */
export function peerProblems(env: Environment): string[] {
  const has = (setting: Setting<unknown>) => Boolean(given(env, setting));
  const { mediaHooks, mediaUrl } = SETTINGS;
  const reports = has(mediaUrl) || given(env, mediaHooks) === "yes";
  const needed: Setting<unknown>[] = [
    OWN.ingestKeys,
    SETTINGS.edgeKeys,
    ...(reports ? [OWN.mediaKeys, OWN.mediaWebhookSecrets] : []),
    ...(has(mediaUrl) ? [OWN.mediaRequestSecrets] : []),
    ...(has(OWN.billingKeys) ? [OWN.billingWebhookSecrets] : []),
  ];
  const older = new Map(PEER_VARIABLES);
  const absent = needed.filter((own) => !has(own) && !env[older.get(own.name) ?? ""]?.trim());
  return absent.map(missing);
}
