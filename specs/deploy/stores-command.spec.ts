import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const { MONGODB_URL, REDIS_URL } = process.env;

describe("npm run stores", function () {
  this.timeout(30_000);

  it("prints the variables that lead to the stores, and ends by Ctrl-C", async () => {
    // With stores that are given it starts none, and prints the same.
    const command = spawn(process.execPath, ["specs/runner/keep-stores.mjs"], { cwd: projectRoot });
    const variables: Record<string, string> = {};
    try {
      for await (const line of createInterface(command.stdout)) {
        const [, name, value] = /^export (\w+)='(.*)'$/.exec(line) ?? [];
        if (name !== undefined && value !== undefined) variables[name] = value;
        if (name === "NODE_ENV") command.kill("SIGINT");
      }
      if (command.exitCode === null) await once(command, "exit");

      expect(variables).deep.equal({ MONGODB_URL, REDIS_URL, NODE_ENV: "test" });
      expect(command.exitCode).equal(0);
    } finally {
      command.kill("SIGKILL");
    }
  });
});
