import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { startStoreProcess } from "../../deploy/development/stores/store-process.ts";

describe("The process of a store that the service starts", () => {
  it("is awaited as long as it lives, with a line about it every few seconds", async () => {
    const folder = mkdtempSync(join(tmpdir(), "livecore-store-"));
    const said: string[] = [];
    try {
      const store = await startStoreProcess({
        title: "MongoDB",
        folder,
        say: (line) => said.push(line),
        signal: new AbortController().signal,
        lastPort: null,
        command: async () => ({ path: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] }),
        progressEveryMs: 1,
        async ready() {
          if (said.length < 3) throw new Error("it recovers its data");
        },
      });

      await store.stop();
      for (const line of said) expect(line).match(/^MongoDB is starting: no answer after \d+ s\. It may be /);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
