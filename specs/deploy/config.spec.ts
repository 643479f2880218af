import { inspect } from "node:util";
import { expect } from "chai";
import {
  ConfigError,
  isProduction,
  loadConfig,
  loadSettings,
  loadWorkerConfig,
} from "../../deploy/processes/config/config.ts";
import type { Environment } from "../../deploy/processes/config/environment.ts";
import { SETTINGS } from "../../deploy/processes/config/settings.ts";

const SECRET = "q7f3Kd92mXz81LpRt6WvBn40YsHcEj5u";

const whole: Environment = {
  MONGODB_URL: "mongodb://127.0.0.1:27017/?replicaSet=rs0",
  REDIS_URL: "redis://127.0.0.1:6379/0",
  INGEST_KEYS: `${SECRET}i`,
  MEDIA_WEBHOOK_SECRETS: `${SECRET}a, ${SECRET}b`,
  MASTER_KEY: SECRET,
  EDGE_KEYS: `${SECRET}e`,
  PUBLIC_URL: "https://live.example",
  SMTP_URL: "smtps://mails:word@smtp.example",
  MAIL_FROM: "Live <no-reply@live.example>",
  FILES_DIR: "/srv/livecore/files",
};

function problemsOf(env: Environment, load: (env: Environment) => unknown = loadConfig): readonly string[] {
  try {
    load(env);
  } catch (err) {
    if (err instanceof ConfigError) return err.problems;
    throw err;
  }
  return [];
}

describe("Configuration", () => {
  it("takes what is given and the table's defaults for the rest", () => {
    const config = loadConfig({
      ...whole,
      PORT: "9000",
      ALLOWED_ORIGINS: "https://a.example, https://b.example:8443",
    });

    expect(config.http.port).equal(9000);
    expect(config.http.allowedOrigins).deep.equal(["https://a.example", "https://b.example:8443"]);
    expect(config.realtime.port).equal(8081);
    expect(config.realtime.sendBufferBytes).equal(512 * 1024);
    expect(config.http.cookieDomain).equal(null);
    expect(config.secrets.peers.media.webhookSecrets.map((secret) => secret.reveal())).deep.equal([
      `${SECRET}a`,
      `${SECRET}b`,
    ]);
  });

  it("has outside production an address of its own that is where it listens", () => {
    const own = { ...whole, NODE_ENV: "development", PORT: "9000", PUBLIC_URL: undefined };

    expect(loadConfig(own).publicUrl).equal("http://localhost:9000");
    expect(loadConfig({ ...own, PORT: undefined }).publicUrl).equal("http://localhost:8080");
    expect(loadConfig({ ...own, PUBLIC_URL: "https://a.example" }).publicUrl).equal("https://a.example");
    expect(problemsOf({ ...own, PORT: "eighty" })).length(1);
    expect(problemsOf({ ...own, NODE_ENV: "production" })[0]).match(/^PUBLIC_URL is missing/);
  });

  it("has the same address in workers as in the primary, and an edge of its own below it", () => {
    const own = {
      ...whole,
      NODE_ENV: "development",
      PORT: "9000",
      PUBLIC_URL: undefined,
      EDGE_URL: undefined,
    };

    for (const config of [loadConfig(own), loadWorkerConfig(own)]) {
      expect(config.publicUrl).equal("http://localhost:9000");
      expect(config.edge.url).equal("http://localhost:9000/edge");
    }
    expect(loadWorkerConfig({ ...own, EDGE_URL: "https://edge.example/hls" }).edge.url).equal(
      "https://edge.example/hls",
    );
    expect(loadConfig({ ...own, PUBLIC_URL: "https://a.example/live/" }).edge.url).equal(
      "https://a.example/live/edge",
    );
    const production = { ...own, NODE_ENV: "production", PUBLIC_URL: "https://a.example" };
    expect(loadConfig(production).edge.url).equal("http://localhost:8088/hls");
  });

  it("says all problems at once, each with its variable", () => {
    const problems = problemsOf({
      ...whole,
      PORT: "eighty",
      LOG_LEVEL: "loud",
      ALLOWED_ORIGINS: "https://a.example/path",
      TRUSTED_PROXIES: "10.0.0.0/99",
      API_WORKERS: "0",
      RATE_LIMIT_FACTOR: "-1",
      MONGODB_URL: "http://mongo",
      INGEST_KEYS: "short",
      MASTER_KEY: undefined,
    });

    expect(problems.map((problem) => problem.split(" ")[0])).members([
      ...["PORT", "LOG_LEVEL", "ALLOWED_ORIGINS", "TRUSTED_PROXIES", "API_WORKERS", "RATE_LIMIT_FACTOR"],
      ...["MONGODB_URL", "INGEST_KEYS", "MASTER_KEY"],
    ]);
  });

  it("takes addresses that paths are put behind without what would swallow or show them", () => {
    const { edge, publicUrl } = loadConfig({
      ...whole,
      EDGE_URL: "https://edge.example/hls/",
      PUBLIC_URL: "https://a.example/live/",
    });
    expect([edge.url, publicUrl]).deep.equal(["https://edge.example/hls", "https://a.example/live"]);

    for (const rest of ["?a=1", "#x"]) {
      expect(problemsOf({ ...whole, EDGE_URL: `https://edge.example/hls${rest}` })).length(1);
    }
    expect(problemsOf({ ...whole, PUBLIC_URL: "https://me:word@a.example" })).length(1);
  });

  it("counts an empty variable as missing", () => {
    expect(loadConfig({ ...whole, PORT: "", LOG_LEVEL: " " }).http.port).equal(8080);
  });

  it("counts a start on stores that were given as production, unless NODE_ENV says otherwise", () => {
    const { MONGODB_URL, REDIS_URL, INGEST_KEYS, MEDIA_WEBHOOK_SECRETS, MASTER_KEY, EDGE_KEYS, ...none } =
      whole;
    const stores = [{ MONGODB_URL }, { REDIS_URL }, { MONGODB_URL, REDIS_URL }];

    expect(isProduction(none)).equal(false);
    for (const given of stores) {
      expect(isProduction(given)).equal(true);
      for (const NODE_ENV of ["development", "test"]) {
        expect(isProduction({ ...given, NODE_ENV })).equal(false);
      }
    }
    expect(loadConfig(whole).env).equal("production");
    expect(loadConfig(whole).http.plainCookiesHere).equal(false);
    expect(loadConfig({ ...whole, NODE_ENV: "development" }).http.plainCookiesHere).equal(true);
    expect(isProduction({ NODE_ENV: " production " })).equal(true);
  });

  it("asks for secrets on stores that were given, and says which setting makes it development", () => {
    const { MONGODB_URL, REDIS_URL } = whole;

    expect(problemsOf({ MONGODB_URL, REDIS_URL }).map((problem) => problem.split(" ")[0])).deep.equal([
      ...["MASTER_KEY", "INGEST_KEYS", "EDGE_KEYS", "PUBLIC_URL"],
      ...["SMTP_URL", "MAIL_FROM", "FILES_DIR"],
    ]);
    expect(() => loadSettings({ MONGODB_URL, REDIS_URL })).throw(/set NODE_ENV=development/);
    expect(() => loadSettings({ MONGODB_URL, REDIS_URL, NODE_ENV: "production" })).not.throw(/NODE_ENV/);
  });

  it("wants a public address in production, where the default leads nowhere", () => {
    for (const PUBLIC_URL of [undefined, "", "http://localhost:8080", "http://localhost:8080/"]) {
      const problems = problemsOf({ ...whole, PUBLIC_URL });
      expect(problems).length(1);
      expect(problems[0]).match(/^PUBLIC_URL is missing/);
      expect(problemsOf({ ...whole, PUBLIC_URL, NODE_ENV: "development" })).deep.equal([]);
    }
    expect(problemsOf(whole)).deep.equal([]);
  });

  it("keeps pictures in a folder, or in a bucket with an account of its own there", () => {
    const bucket = { ...whole, FILES_DIR: "", S3_BUCKET: "pictures" };
    const account = { S3_ACCESS_KEY_ID: "livecore", S3_SECRET_ACCESS_KEY: SECRET };

    expect(problemsOf(bucket).map((problem) => problem.split(" ")[0])).deep.equal(Object.keys(account));
    expect(loadConfig({ ...bucket, ...account }).files.s3).deep.include({ bucket: "pictures" });
    expect(loadConfig(whole).files).deep.equal({ folder: "/srv/livecore/files", s3: null });
  });

  it("takes a deprecated secret for each variable that isn't set, and names these", () => {
    const [SYSTEM_KEY, WEBHOOK_SECRETS] = [`${SECRET}s`, `${SECRET}v,${SECRET}w`];
    const { INGEST_KEYS: _, MEDIA_WEBHOOK_SECRETS: __, ...rest } = whole;
    const older = {
      ...rest,
      SYSTEM_KEY,
      WEBHOOK_SECRETS,
      MEDIA_HOOKS: "yes",
      MEDIA_URL: "http://media.example",
    };
    const textsOf = (secrets: readonly { reveal(): string }[]) => secrets.map((secret) => secret.reveal());

    const before = loadConfig(older);
    for (const { keys } of Object.values(before.secrets.peers))
      expect(textsOf(keys)).deep.equal([SYSTEM_KEY]);
    for (const { webhookSecrets } of [before.secrets.peers.media, before.secrets.peers.billing])
      expect(textsOf(webhookSecrets)).deep.equal([`${SECRET}v`, `${SECRET}w`]);
    expect(textsOf(before.secrets.mediaRequests)).deep.equal([`${SECRET}v`, `${SECRET}w`]);
    expect(before.sharedSecrets).deep.equal([
      { shared: "SYSTEM_KEY", unset: ["INGEST_KEYS", "MEDIA_KEYS", "BILLING_KEYS", "EDGE_CONFIG_KEYS"] },
      {
        shared: "WEBHOOK_SECRETS",
        unset: ["MEDIA_WEBHOOK_SECRETS", "MEDIA_REQUEST_SECRETS", "BILLING_WEBHOOK_SECRETS"],
      },
    ]);

    const half = loadConfig({ ...older, BILLING_KEYS: `${SECRET}5`, BILLING_WEBHOOK_SECRETS: `${SECRET}6` });
    expect(textsOf(half.secrets.peers.billing.keys)).deep.equal([`${SECRET}5`]);
    expect(textsOf(half.secrets.peers.billing.webhookSecrets)).deep.equal([`${SECRET}6`]);
    expect(textsOf(half.secrets.peers.media.keys)).deep.equal([SYSTEM_KEY]);
    expect(half.sharedSecrets.map(({ unset }) => unset.length)).deep.equal([3, 2]);
    expect(loadConfig(whole).sharedSecrets).deep.equal([]);
  });

  it("asks for the secrets of a media service and a payment platform where these are used", () => {
    const missing = (env: Environment) =>
      problemsOf({ ...whole, MEDIA_WEBHOOK_SECRETS: "", ...env }).map((problem) => problem.split(" ")[0]);

    expect(missing({})).deep.equal([]);
    expect(missing({ MEDIA_HOOKS: "yes" })).deep.equal(["MEDIA_KEYS", "MEDIA_WEBHOOK_SECRETS"]);
    expect(missing({ MEDIA_URL: "http://media.example" })).deep.equal([
      ...["MEDIA_KEYS", "MEDIA_WEBHOOK_SECRETS", "MEDIA_REQUEST_SECRETS"],
    ]);
    expect(missing({ BILLING_KEYS: `${SECRET}5` })).deep.equal(["BILLING_WEBHOOK_SECRETS"]);
  });

  it("listens on this machine alone outside production, and where HOST says", () => {
    const hostsWith = (env: Environment) => {
      const { http, realtime } = loadConfig({ ...whole, ...env });
      return [http.host, realtime.host];
    };

    expect(hostsWith({ NODE_ENV: "development" })).deep.equal(["127.0.0.1", "127.0.0.1"]);
    expect(hostsWith({ NODE_ENV: "test", HOST: "auto" })).deep.equal(["127.0.0.1", "127.0.0.1"]);
    expect(hostsWith({ NODE_ENV: "production" })).deep.equal([null, null]);
    expect(hostsWith({ NODE_ENV: "development", HOST: "0.0.0.0" })).deep.equal(["0.0.0.0", "0.0.0.0"]);
    expect(hostsWith({ HOST: "::1" })).deep.equal(["::1", "::1"]);
    expect(problemsOf({ ...whole, HOST: "everywhere" })).length(1);
  });

  it("lets stores be missing before they are started, outside production alone", () => {
    const { MONGODB_URL, REDIS_URL, ...withoutStores } = whole;

    expect(problemsOf(withoutStores, loadSettings)).deep.equal([]);
    expect(problemsOf(withoutStores)).length(2);
    expect(problemsOf({ ...withoutStores, NODE_ENV: "production" }, loadSettings)).length(2);
  });

  it("refuses guessable secrets", () => {
    const problems = problemsOf({
      ...whole,
      NODE_ENV: "production",
      MASTER_KEY: "changeme".repeat(5),
      INGEST_KEYS: "ab".repeat(20),
      SYSTEM_KEY: "secret".repeat(8),
    });

    expect(problems.map((problem) => problem.split(" ")[0])).members([
      ...["INGEST_KEYS", "SYSTEM_KEY", "MASTER_KEY"],
    ]);
  });

  it("refuses one port for two purposes", () => {
    expect(problemsOf({ ...whole, PORT: "8081" })).length(1);
    expect(problemsOf({ ...whole, PORT: "08081" })).length(1);
  });

  it("says each problem once", () => {
    const ports = { PORT: "0", REALTIME_PORT: "0", METRICS_PORT: "0" };

    expect(problemsOf({ ...whole, ...ports }).map((problem) => problem.split(" ")[0])).deep.equal(
      Object.keys(ports),
    );
  });

  it("never shows a secret, however it is printed", () => {
    const config = loadConfig(whole);
    const shown = [
      inspect(config, { depth: 9 }),
      JSON.stringify(config),
      `${config.secrets.peers.ingest.keys}`,
    ].join("\n");

    expect(shown).include("[secret]").not.include(SECRET);
  });

  it("repeats no secret in the problem it reports", () => {
    expect(problemsOf({ ...whole, INGEST_KEYS: "hunter2-hunter2" }).join("\n")).not.include("hunter2");
  });

  it("has a meaning for every variable, each named once", () => {
    const names = Object.values(SETTINGS).map(({ name }) => name);

    expect(new Set(names).size).equal(names.length);
    for (const { meaning } of Object.values(SETTINGS)) expect(meaning).match(/\w.*\.$/);
  });
});
