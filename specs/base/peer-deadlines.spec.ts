import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { PEER_DEADLINES_MS } from "../../base/peer-deadlines.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";

/** The machine by which the page lists each. */
const LISTED: Record<keyof typeof PEER_DEADLINES_MS, string> = {
  redisCommand: "Redis, a command of a request",
  redisSilence: "Redis, a connection without a reply",
  redisQueueSilence: "Redis, a queue's connection without a reply",
  smtp: "mail server",
  push: "APNs, FCM, a browser's push service",
  s3: "file store (S3)",
  oauthRequest: "sign-in provider, a request",
  oauthSignIn: "sign-in provider, all of a sign-in",
  rtmpControl: "the RTMP server's control",
  mediaService: "media service",
  payment: "payment platform, an attempt",
};

describe("docs/silent-peers.md", () => {
  it("lists the deadline of each machine", () => {
    const page = readFileSync(join(projectRoot, "docs/silent-peers.md"), "utf8");
    const listed = new Map(
      [...page.matchAll(/^\| ([^|]+) \| (\d+) (ms|s)\b/gm)].map(([, machine, count, unit]) => [
        machine,
        Number(count) * (unit === "s" ? 1_000 : 1),
      ]),
    );

    const known = Object.entries(LISTED).map(([key, machine]) => [machine, Object(PEER_DEADLINES_MS)[key]]);
    expect([...listed]).deep.equal(known);
  });
});
