import { expect } from "chai";
import { loadConfig } from "../../deploy/processes/config/config.ts";
import { banner } from "../../deploy/processes/primary/banner.ts";

const SECRET = "q7f3Kd92mXz81LpRt6WvBn40YsHcEj5u";

describe("the banner of a started service", () => {
  function shown(env: Record<string, string>): string {
    const config = loadConfig({
      MONGODB_URL: "mongodb://127.0.0.1:27017/?replicaSet=rs0",
      REDIS_URL: "redis://127.0.0.1:6379/0",
      INGEST_KEYS: `${SECRET}i`,
      MASTER_KEY: SECRET,
      EDGE_KEYS: `${SECRET}e`,
      SMTP_URL: "smtps://mails:word@smtp.example",
      MAIL_FROM: "Live <no-reply@live.example>",
      FILES_DIR: "/srv/livecore/files",
      PUBLIC_URL: "https://live.example",
      ...env,
    });
    const pidFile = "/srv/livecore/livecore.pid";
    return banner(config, { startedInMs: 1_234, hasMailbox: false, pid: 4711, pidFile });
  }

  it("names PUBLIC_URL, the pid file and no demo in production", () => {
    const text = shown({ NODE_ENV: "production" });

    expect(text)
      .include("REST      https://live.example/v1\n")
      .include("Sockets   wss://live.example/v1/ws\n")
      .include("curl -s https://live.example/v1/streams")
      .include("Listens   on all addresses, port 8080")
      .include("Process   4711 (/srv/livecore/livecore.pid): SIGTERM stops it");
    expect(text).not.match(/demo|localhost|Ctrl-C/);
  });

  it("names this machine and the demo in development", () => {
    const text = shown({ NODE_ENV: "development", PORT: "9000" });

    expect(text)
      .include("REST      http://localhost:9000/v1\n")
      .include("Sockets   ws://localhost:9000/v1/ws\n")
      .include("npm run demo")
      .include("Ctrl-C stops it.");
  });
});
