import { signingKey } from "../../actors/hooks/signatures.ts";
import type { Peer } from "../../specs/contract/peers.ts";
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
const standIns = (env: Environment): { older: Setting<unknown>; unset: string[] }[] =>
  [systemKey, webhookSecrets].flatMap((older: Setting<unknown>) => {
    const unset = PEER_VARIABLES.flatMap(([name, by]) =>
      by === older.name && !env[name]?.trim() ? [name] : [],
    );
    return given(env, older) && unset.length > 0 ? [{ older, unset }] : [];
  });

/** The same by their names, for the warning at the start. */
export const sharedSecretsIn = (env: Environment): { shared: string; unset: string[] }[] =>
  standIns(env).map(({ older, unset }) => ({ shared: older.name, unset }));

/** Missing secrets of what is used, and secrets that are the same for two purposes. */
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
  return [...absent.map(missing), ...sameSecrets(env)];
}

/** Of two purposes with one secret, whoever has it for one has it for the other. */
function sameSecrets(env: Environment): string[] {
  // As keys: `whsec_` and Base64 is another way to write the same.
  const keysOf = (setting: Setting<unknown>) =>
    (given(env, setting) ?? "")
      .split(",")
      .flatMap((entry) => (entry.trim() === "" ? [] : signingKey(entry.trim()).toString("hex")));
  const areSame = ([one, other]: readonly [Setting<unknown>, Setting<unknown>]) =>
    keysOf(one).some((key) => keysOf(other).includes(key));
  const own = Object.values<Setting<unknown>>(OWN);
  const rest: Setting<unknown>[] = [SETTINGS.masterKey, SETTINGS.edgeKeys];
  const pairs = own.flatMap((one, i) => [...own.slice(i + 1), ...rest].map((other) => [one, other] as const));
  // A key that was copied to its new variable still opens the other doors by the older one.
  const copied = standIns(env).flatMap(({ older, unset }) =>
    own.filter((one) => areSame([one, older])).map((one) => ({ one, older, unset })),
  );
  return [
    ...pairs
      .filter(areSame)
      .map(([one, other]) => `${one.name} and ${other.name} have the same secret. They must be different.`),
    ...copied.map(
      ({ one, older, unset }) =>
        `${one.name} and ${older.name} have the same secret, and ${older.name} still stands in for ${unset.join(", ")}. Set these, or give ${one.name} another secret.`,
    ),
    // Whoever has the system key would have the keys of the edge.
    ...(areSame([SETTINGS.edgeKeys, systemKey])
      ? [
          `${SETTINGS.edgeKeys.name} contains ${systemKey.name}, which every edge would then have. They must be different secrets.`,
        ]
      : []),
  ];
}
