// @waits: for a service to start.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/config/project.ts";
import { serviceHarness } from "../support/service.ts";

describe("The metrics of the running service", function () {
  this.timeout(90_000);
  const { start, end } = serviceHarness("deploy/main.ts");
  after(end);

  it("are those of docs/metrics.md, by their names and kinds", async () => {
    const service = await start({ LOG_LEVEL: "error", API_WORKERS: "1" });
    await service.ready();
    const text = await (await fetch(`${service.internal}/metrics`)).text();
    const page = readFileSync(join(projectRoot, "docs/metrics.md"), "utf8");
    const exposed = [...text.matchAll(/^# TYPE (livecore_\w+) (\w+)$/gm)].map(([, name, kind]) => [
      name,
      kind,
    ]);
    const listed = [...page.matchAll(/^\| `(livecore_\w+)` \| (\w+)/gm)].map(([, name, kind]) => [
      name,
      kind,
    ]);

    expect(exposed.sort()).deep.equal(listed.sort());
    expect(text).match(/^livecore_workers_ready\{kind="api",worker="primary"\} [1-9]/m);
    expect(text).match(/^livecore_gateway_tail_lag_seconds\{worker="realtime"\} [0-9.]+$/m);
  });
});
