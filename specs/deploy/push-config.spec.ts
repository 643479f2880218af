import { generateKeyPairSync } from "node:crypto";
import { inspect } from "node:util";
import { expect } from "chai";
import { ConfigError, loadSettings, type Settings } from "../../deploy/processes/config/config.ts";
import type { Environment } from "../../deploy/processes/config/environment.ts";

const pem = (key: ReturnType<typeof generateKeyPairSync>["privateKey"]) =>
  String(key.export({ type: "pkcs8", format: "pem" }));
const EC = pem(generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey);
const OTHER_EC = pem(generateKeyPairSync("ec", { namedCurve: "secp384r1" }).privateKey);
const RSA = pem(generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey);
const VAPID = "n3Yx2vQwq0b7hC9kD4sT8uL1mZ5eR6pA-_jHfGiKoWs";

const SECRET = "q7f3Kd92mXz81LpRt6WvBn40YsHcEj5u";
const SECRETS = { INGEST_KEYS: `${SECRET}i`, MASTER_KEY: SECRET, EDGE_KEYS: `${SECRET}e` };

const push = (env: Environment): Settings["push"] =>
  loadSettings({ NODE_ENV: "development", ...SECRETS, ...env }).push;

function problemsOf(env: Environment): readonly string[] {
  try {
    push(env);
    return [];
  } catch (err) {
    if (err instanceof ConfigError) return err.problems;
    throw err;
  }
}

const account = (change: object = {}) =>
  JSON.stringify({
    type: "service_account",
    project_id: "live-1",
    private_key: RSA,
    client_email: "push@live-1.iam.example",
    token_uri: "https://oauth2.example/token",
    ...change,
  });
const APNS = { APNS_KEY_ID: "ABC123DEFG", APNS_TEAM_ID: "DEF123GHIJ", APNS_TOPIC: "tv.example.app" };

describe("Push services, as they are configured,", () => {
  it("are none unless they are given", () => {
    expect(push({})).deep.equal({ vapid: null, apns: null, fcm: null });
  });

  it("are who signs and what for, with lines of a key as variables have them", () => {
    const { vapid, apns, fcm } = push({
      VAPID_PRIVATE_KEY: VAPID,
      VAPID_SUBJECT: "mailto:operator@live.example",
      ...APNS,
      APNS_KEY: EC.replaceAll("\n", "\\n"),
      APNS_SANDBOX: "yes",
      FCM_SERVICE_ACCOUNT: account(),
    });
    expect(vapid?.subject).equal("mailto:operator@live.example");
    expect(vapid?.privateKey.reveal()).equal(VAPID);
    expect(apns).include({ keyId: "ABC123DEFG", teamId: "DEF123GHIJ", topic: "tv.example.app" });
    expect(apns?.isSandbox).equal(true);
    expect(apns?.key.reveal().trim()).equal(EC.trim());
    expect(fcm).include({ projectId: "live-1", clientEmail: "push@live-1.iam.example" });
    expect(fcm?.tokenUrl).equal("https://oauth2.example/token");
    expect(inspect([vapid, apns, fcm], { depth: 9 }))
      .not.contain("PRIVATE KEY")
      .and.not.contain(VAPID);
  });

  it("want to know who asks", () => {
    const names = (env: Environment) => problemsOf(env).map((problem) => problem.split(" ")[0]);
    expect(names({ VAPID_PRIVATE_KEY: VAPID })).deep.equal(["VAPID_SUBJECT"]);
    expect(names({ APNS_KEY: EC })).deep.equal(Object.keys(APNS));
  });

  for (const [what, name, value] of [
    ["a VAPID key of another length", "VAPID_PRIVATE_KEY", VAPID.slice(3)],
    ["a subject that is no address", "VAPID_SUBJECT", "operator"],
    ["an RSA key for Apple", "APNS_KEY", RSA],
    ["a key on another curve", "APNS_KEY", OTHER_EC],
    ["an account without its key", "FCM_SERVICE_ACCOUNT", account({ private_key: undefined })],
    ["an account with another kind of key", "FCM_SERVICE_ACCOUNT", account({ private_key: EC })],
    ["a token address without TLS", "FCM_SERVICE_ACCOUNT", account({ token_uri: "http://a.example" })],
    ["a project that leads elsewhere", "FCM_SERVICE_ACCOUNT", account({ project_id: "../x" })],
    ["what is no JSON", "FCM_SERVICE_ACCOUNT", `{"private_key":"${VAPID}"`],
  ] as const) {
    it(`aren't taken with ${what}, of which no problem repeats a word`, () => {
      const [problem = "", more] = problemsOf({
        [name]: value,
        ...APNS,
        VAPID_SUBJECT: "mailto:a@b.c",
        ...(name === "VAPID_SUBJECT" ? { [name]: value } : {}),
      });
      expect(more).equal(undefined);
      expect(problem).match(new RegExp(`^${name} must`));
      expect(problem).not.contain(value.slice(5, 40)).and.not.contain(VAPID.slice(3));
    });
  }
});
