import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { projectRoot } from "../../deploy/processes/config/project.ts";
import { setUpWorld } from "../support/set-up-world.ts";

const folder = join(projectRoot, "clients/typescript");

describe("The client's README", () => {
  const { world } = setUpWorld();

  it("shows an example that works as it stands", async function () {
    this.timeout(60_000);
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const here = mkdtempSync(join(folder, ".example-"));
    try {
      const code = example
        .replace(`"@livecore/client"`, `"../src/index.ts"`)
        .replace("http://127.0.0.1:8080", world.baseUrl);
      writeFileSync(join(here, "example.ts"), code);

      const output = await new Promise<string>((resolve, reject) => {
        const command = ["--import", "tsx", join(here, "example.ts")];
        execFile(process.execPath, command, { cwd: projectRoot, timeout: 45_000 }, (err, stdout, stderr) =>
          err ? reject(new Error(`${stdout}${stderr}`, { cause: err })) : resolve(stdout),
        );
      });

      expect(output).match(/^(1 ada_\w+ hello\n1|1\n)\n?$/);
      expect(example.trim().split("\n").length).most(18);
    } finally {
      rmSync(here, { recursive: true });
    }
  });

  it("is of a package that needs no other to run, in the version of the compiler that checks it", () => {
    const own = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const project = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));

    expect(own).not.property("dependencies");
    expect(own.devDependencies).deep.equal({ typescript: project.devDependencies.typescript });
  });
});
