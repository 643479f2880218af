import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { type Exchange, observeExchange, observeMessage } from "../../contract/coverage/observe.ts";
import { readRecorded, textOf, updated } from "../../contract/coverage/recorded.ts";
import { shows } from "../../contract/coverage/shows.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";

/** What a request and its answer show. */
function shown(operationId: string, exchange: Partial<Exchange>): string[] {
  const seen: string[] = [];
  const nothing = { query: new URLSearchParams(), requestHeaders: {}, requestBody: undefined };
  const answer = { status: 200, body: undefined, answerHeaders: new Headers() };
  observeExchange({ operationId, ...nothing, ...answer, ...exchange }, (one) => void seen.push(one));
  return seen;
}

describe("What is counted as shown of the interface", function () {
  this.timeout(60_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "livecore-coverage-spec-"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("is a field that holds something, of the resource that the contract has at its place", () => {
    const stream = {
      id: randomUUID(),
      name: "",
      thumbnail_url: null,
      is_live: false,
      tags: [],
      realtime_viewer_count: 0,
    };
    const user = { id: randomUUID(), username: "somebody", image_url: null };
    const seen = shown("listStreams", { body: { items: [{ ...stream, user }], total: 1 } });

    expect(seen).include.members(["page StreamCard", "field StreamCard.id", "field StreamCard.user"]);
    expect(seen).include.members(["field UserSummary.username", "value StreamCard.is_live = false"]);
    for (const empty of ["name", "thumbnail_url", "tags", "realtime_viewer_count"]) {
      expect(seen).not.include(`field StreamCard.${empty}`);
    }
    expect(seen.filter((one) => one.includes("User."))).deep.equal([]);
  });

  it("is nothing of what was refused but the error and the limit that refused it", () => {
    const details = { errors: [{ path: "/query/per_page", rule: "maximum", message: "must be <= 100" }] };
    const body = { code: "validation_failed", message: "No.", details };
    const seen = shown("listStreams", {
      status: 400,
      body,
      query: new URLSearchParams("per_page=101&page=1"),
    });

    expect(seen).include.members(["error 400 validation_failed", "limit query.per_page refuses 101"]);
    expect(seen.filter((one) => /^(operation|tag|page) |page\b.* accepts|query\.page /.test(one))).deep.equal(
      [],
    );
  });

  it("is what a socket was sent, read by the contract of REST where that says more", () => {
    const seen: string[] = [];
    const data = { id: randomUUID(), status: "locked", locks_at: null };
    observeMessage({ type: "prediction.locked", channel: "c", seq: 1, data }, (one) => void seen.push(one));

    expect(seen).include.members(["frame prediction.locked", "value Prediction.status = locked"]);
    expect(seen).not.include("field Prediction.locks_at");
  });

  it("is claimed by names that there are alone", () => {
    expect(() => shows("no such behaviour" as "users.title")).throw("no such behaviour");
  });

  it("fails a whole run that didn't show it, with its name and the spec that should have", () => {
    const [lost, ...others] = [...readRecorded()];
    if (!lost) throw new Error("nothing is recorded");
    writeFileSync(join(folder, "seen.txt"), textOf(new Map(others)));

    const script = join(projectRoot, "contract/coverage/compare.ts");
    const { stdout } = spawnSync(process.execPath, ["--import", "tsx", script, folder], { encoding: "utf8" });

    expect(stdout).include(`not shown: ${lost[0]} (by ${lost[1].join(" or ")})`);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).deep.equal({
      passed: 0,
      failed: 1,
      skipped: 0,
    });
  });

  it("is recorded anew by a whole run, and added to by some files, whose names change as little as may be", () => {
    const [a, b, c, d] = ["audit-log", "config", "demo", "health"].map(
      (name) => `specs/deploy/${name}.spec.ts`,
    );
    if (!(a && b && c && d)) throw new Error("four files");
    const before = new Map([
      ["one", [d]],
      ["two", [c]],
    ]);
    const observed = new Map([["one", [a, b, c, d]]]);

    expect([...updated(before, observed, null)]).deep.equal([["one", [a, b, d]]]);
    expect([...updated(before, observed, [c])]).deep.equal([["one", [a, b, d]]]);
    expect([...updated(before, observed, [a, b, d])]).deep.equal([
      ["one", [a, b, d]],
      ["two", [c]],
    ]);
  });
});
