import { expect } from "chai";
import { ConfigError, loadConfig } from "../../deploy/processes/config/config.ts";
import type { Environment } from "../../deploy/processes/config/environment.ts";
import { SETTINGS } from "../../deploy/processes/config/settings.ts";

const SECRET = "q7f3Kd92mXz81LpRt6WvBn40YsHcEj5u";
const EQUAL = `${SECRET}0`;

/** Of this release. */
const NEW = {
  INGEST_KEYS: `${SECRET}1`,
  MEDIA_KEYS: `${SECRET}2`,
  MEDIA_WEBHOOK_SECRETS: `${SECRET}3`,
  MEDIA_REQUEST_SECRETS: `${SECRET}4`,
  BILLING_KEYS: `${SECRET}5`,
  BILLING_WEBHOOK_SECRETS: `${SECRET}6`,
  EDGE_CONFIG_KEYS: `${SECRET}7`,
};
/** That the release before had, too. */
const OLDER = [
  ...["MASTER_KEY", "MASTER_KEY_OLD", "EDGE_KEYS", "SYSTEM_KEY", "WEBHOOK_SECRETS", "STRIPE_SECRET_KEY"],
  ...["STRIPE_WEBHOOK_SECRETS", "S3_SECRET_ACCESS_KEY", "VAPID_PRIVATE_KEY"],
];
/** Texts with secrets in them, and what isn't secret. */
const NOT_COMPARED = [
  "SMTP_URL",
  "OAUTH_PROVIDERS",
  "APNS_KEY",
  "APNS_KEY_ID",
  "FCM_SERVICE_ACCOUNT",
  "S3_ACCESS_KEY_ID",
];

const base: Environment = {
  MONGODB_URL: "mongodb://127.0.0.1:27017/?replicaSet=rs0",
  REDIS_URL: "redis://127.0.0.1:6379/0",
  MASTER_KEY: `${SECRET}m`,
  EDGE_KEYS: `${SECRET}e`,
  STRIPE_WEBHOOK_SECRETS: `${SECRET}s`,
  VAPID_SUBJECT: "mailto:staff@live.example",
  PUBLIC_URL: "https://live.example",
  SMTP_URL: "smtps://mails:word@smtp.example",
  MAIL_FROM: "Live <no-reply@live.example>",
  FILES_DIR: "/srv/livecore/files",
};
/** Where the deprecated variables stand in for all. */
const older: Environment = { ...base, SYSTEM_KEY: `${SECRET}x`, WEBHOOK_SECRETS: `${SECRET}w` };

function problemsOf(env: Environment): readonly string[] {
  try {
    loadConfig(env);
  } catch (err) {
    if (err instanceof ConfigError) return err.problems;
    throw err;
  }
  return [];
}

/** A VAPID key has 43 characters, so here all have. */
const long = (secret: string) => secret.padEnd(43, "k");
const given = (env: Environment, ...names: string[]): Environment => ({
  ...env,
  ...Object.fromEntries(names.map((name) => [name, long(EQUAL)])),
});
const pairsOf = (names: readonly string[]) =>
  names.flatMap((one, i) => names.slice(i + 1).map((other) => [one, other] as const));

describe("equal secrets of two variables", () => {
  it("compares every variable named like a secret, except variables with forms of their own", () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);
    const secret = names.filter((name) => /SECRET|KEY|SMTP_URL|ACCOUNT|PROVIDERS/.test(name));
    expect(secret).members([...Object.keys(NEW), ...OLDER, ...NOT_COMPARED]);
  });

  it("refuses a new variable's secret in any other variable, without quoting it", () => {
    const separate = { ...base, ...NEW };
    expect(problemsOf(separate)).deep.equal([]);
    for (const [one, value] of Object.entries(NEW)) {
      const others = [...Object.keys(NEW), ...OLDER].filter((name) => name !== one);
      for (const other of others) {
        // Nothing else is set, since a deprecated variable counts only while it stands in for another one.
        const env = { ...given(base, other), [one]: `${value}, ${long(EQUAL)}` };
        const problems = problemsOf(env).filter((problem) => problem.includes("the same secret"));
        expect(problems, `${one} and ${other}`).length(1);
        expect(problems[0]).include(one).include(other).not.include(EQUAL);
      }
    }
  });

  it("refuses a secret of EDGE_KEYS that SYSTEM_KEY has", () => {
    for (const NODE_ENV of ["production", "development"]) {
      const problems = problemsOf({ ...older, NODE_ENV, EDGE_KEYS: `${SECRET}e, ${SECRET}x` });
      expect(problems).length(1);
      expect(problems[0]).match(/^SYSTEM_KEY and EDGE_KEYS have the same secret/);
    }
  });

  it("starts with equal secrets of variables that the last release allowed, and names each pair", () => {
    for (const pair of pairsOf(OLDER)) {
      const names = [...pair].sort().join();
      if (names === "EDGE_KEYS,SYSTEM_KEY") continue;
      const { equalSecrets } = loadConfig(given(older, ...pair));
      const isOfMasterKey = names === "MASTER_KEY,MASTER_KEY_OLD";
      expect(
        equalSecrets.map((two) => [...two].sort().join()),
        names,
      ).deep.equal(isOfMasterKey ? [] : [names]);
    }
    expect(loadConfig(older).equalSecrets).deep.equal([]);
  });

  it("warns of one secret in both deprecated variables until all are set that they stand in for", () => {
    const both = given(base, "SYSTEM_KEY", "WEBHOOK_SECRETS");

    expect(loadConfig(both).equalSecrets).deep.equal([["SYSTEM_KEY", "WEBHOOK_SECRETS"]]);
    expect(loadConfig({ ...both, ...NEW }).equalSecrets).deep.equal([]);
  });

  it("refuses a deprecated secret in a new variable while it stands in for other variables", () => {
    const { INGEST_KEYS, ...rest } = NEW;
    const keys = problemsOf({ ...older, INGEST_KEYS: `${INGEST_KEYS},${SECRET}x` });
    const BILLING_WEBHOOK_SECRETS = `whsec_${Buffer.from(`${SECRET}w`).toString("base64")}`;
    const signing = problemsOf({ ...older, BILLING_WEBHOOK_SECRETS });

    expect([keys.length, signing.length]).deep.equal([1, 1]);
    expect(keys[0]).match(
      /^INGEST_KEYS and SYSTEM_KEY have the same secret.* stands in for .*EDGE_CONFIG_KEYS/,
    );
    expect(signing[0]).match(/^BILLING_WEBHOOK_SECRETS and WEBHOOK_SECRETS have the same secret/);
    expect(problemsOf({ ...older, ...rest, INGEST_KEYS: `${SECRET}x` })).deep.equal([]);
  });
});
