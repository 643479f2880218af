import { signingKey } from "../../../actors/hooks/signatures.ts";
import type { Environment } from "./environment.ts";
import { standIns } from "./peer-secrets.ts";
import { vapidKey } from "./push-services.ts";
import { given } from "./reading.ts";
import type { Schema } from "./schemas.ts";
import * as schema from "./schemas.ts";
import type { Setting } from "./setting.ts";
import { SETTINGS } from "./settings.ts";

/** The forms of variables that hold secrets and nothing else. */
const SECRETS: ReadonlySet<Schema<unknown>> = new Set<Schema<unknown>>([
  ...[schema.secret, schema.loneSecret, schema.optionalSecrets, schema.optionalSecret, schema.givenSecrets],
  vapidKey,
]);

/**
 * Variables of which the releases before decision 0105 allowed any two to have the same secret. Platforms run with that, so it is
 * warned of. A variable that isn't listed is newer: none of its secrets may be another variable's.
 */
const ALLOWED_BEFORE: ReadonlySet<string> = new Set(
  [
    ...[SETTINGS.masterKey, SETTINGS.oldMasterKeys, SETTINGS.edgeKeys, SETTINGS.systemKey],
    ...[SETTINGS.webhookSecrets, SETTINGS.stripeSecretKey, SETTINGS.stripeWebhookSecrets],
    ...[SETTINGS.s3SecretAccessKey, SETTINGS.vapidPrivateKey],
  ].map(({ name }) => name),
);

type Held = { name: string; keys: readonly string[] };
type Pair = readonly [one: string, other: string];

/** Refused. Of two purposes with one secret, whoever has it for one has it for the other. */
export function equalSecretProblems(env: Environment): string[] {
  const stillFor = new Map(standIns(env).map(({ older, unset }) => [older.name, unset]));
  return equalPairs(env)
    .filter((pair) => !isAllowed(pair))
    .map(([one, other]) => {
      const same = `${one} and ${other} have the same secret. They must be different.`;
      const [older] = [one, other].filter((name) => stillFor.has(name));
      return older === undefined
        ? same
        : `${same} ${older} still stands in for ${stillFor.get(older)?.join(", ")}: set these, or use another secret.`;
    });
}

/** Not refused, since the release before allowed them: for the warning at the start. */
export const equalSecretsIn = (env: Environment): Pair[] => equalPairs(env).filter(isAllowed);

// Whoever has the system key would have the keys of the edge; that was refused before, too.
const isAllowed = ([one, other]: Pair): boolean =>
  ALLOWED_BEFORE.has(one) &&
  ALLOWED_BEFORE.has(other) &&
  ![one, other].every((name) => name === SETTINGS.edgeKeys.name || name === SETTINGS.systemKey.name);

function equalPairs(env: Environment): Pair[] {
  const held = Object.values<Setting<unknown>>(SETTINGS)
    .filter((setting) => SECRETS.has(setting.schema) && counts(env, setting))
    .map((setting): Held => ({ name: setting.name, keys: keysOf(env, setting) }));
  return held.flatMap((one, i) =>
    held
      .slice(i + 1)
      .filter((other) => !haveOnePurpose(one, other) && one.keys.some((key) => other.keys.includes(key)))
      .map((other) => [one.name, other.name] as const),
  );
}

/** A deprecated variable opens nothing once all are set that it stood in for. */
function counts(env: Environment, { name }: Setting<unknown>): boolean {
  const isDeprecated = name === SETTINGS.systemKey.name || name === SETTINGS.webhookSecrets.name;
  return !isDeprecated || standIns(env).some(({ older }) => older.name === name);
}

/** While the master key is replaced, either may be in both. */
const haveOnePurpose = (one: Held, other: Held): boolean =>
  [one, other].every(({ name }) => name === SETTINGS.masterKey.name || name === SETTINGS.oldMasterKeys.name);

/** As keys: `whsec_` and Base64 is another way to write the same. */
const keysOf = (env: Environment, setting: Setting<unknown>): string[] =>
  (given(env, setting) ?? "")
    .split(",")
    .flatMap((entry) => (entry.trim() === "" ? [] : signingKey(entry.trim()).toString("hex")));
