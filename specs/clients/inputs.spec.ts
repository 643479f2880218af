import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import {
  type DocumentedOperation,
  operationsOf,
  parametersOf,
  readOpenApi,
  responsesOf,
} from "../../contract/openapi-document.ts";
import { projectRoot } from "../../deploy/processes/config/project.ts";

const folder = join(projectRoot, "clients/typescript");
const document = readOpenApi();
const operations = operationsOf(document);
const json = (value: unknown) => JSON.stringify(value);

/** A call of an operation with its example, and its example answer as what the call gives. */
function programOf({ operation }: DocumentedOperation): string {
  const id = json(operation.operationId);
  const parameters = parametersOf(document, operation);
  const those = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && (place === "path" || one.required === true))
        .map(({ name, example, schema }) => [name, schema.type === "string" ? String(example) : example]),
    );
  const [[type, media] = []] = Object.entries(operation.requestBody?.content ?? {});
  const body = type?.startsWith("image/") ? "new Uint8Array()" : json(media?.example);
  const parts = [
    ...(parameters.some((one) => one.in === "path") ? [`path: ${json(those("path"))}`] : []),
    ...(Object.keys(those("query")).length > 0 ? [`query: ${json(those("query"))}`] : []),
    ...(media ? [`body: ${body}`] : []),
  ];
  const input = parts.length === 0 ? "" : `, { ${parts.join(", ")} }`;
  const success = responsesOf(document, operation).find(([status]) => status < 300);
  if (!success) return `void client.address(${id}${input});`;
  const [answer] = Object.values(success[1].content ?? {});
  const examples = Object.values(answer?.examples ?? {}).map(({ value }) => value);
  const shown =
    answer === undefined || operation.operationId === "exportMe" ? [] : [answer.example, ...examples];
  return [
    `const ${operation.operationId}: Promise<Success<${id}>> = client.call(${id}${input});`,
    ...shown
      .filter((one) => one !== undefined)
      .map((one) => `given<Success<${id}>>(${operation.operationId}, ${json(one)});`),
  ].join("\n");
}

describe("The client's types", () => {
  it("take the example request of each operation, and give its example answer", async function () {
    this.timeout(60_000);
    const here = mkdtempSync(join(folder, ".inputs-"));
    try {
      const head = [
        `import { createClient, type Success } from "../src/index.ts";`,
        `const client = createClient({ baseUrl: "http://127.0.0.1:9" });`,
        "const given = <Body>(reply: Promise<Body>, example: Body): void => void [reply, example];",
      ];
      const wrong = `client.call("createRaid", { body: { target_user_id: 7 } });`;
      writeFileSync(join(here, "inputs.ts"), [...head, ...operations.map(programOf)].join("\n"));
      writeFileSync(join(here, "wrong.ts"), [...head, "export {};", wrong].join("\n"));
      const options = { noUnusedLocals: false, rootDir: ".." };
      writeFileSync(
        join(here, "tsconfig.json"),
        json({ extends: "../tsconfig.json", compilerOptions: options, include: ["*.ts"] }),
      );

      const faults = await new Promise<string>((resolve) => {
        const command = [join(projectRoot, "node_modules/typescript/bin/tsc"), "--noEmit", "-p", here];
        execFile(process.execPath, command, { maxBuffer: 10_000_000 }, (_err, stdout, stderr) => {
          resolve(stdout + stderr);
        });
      });

      const lines = faults.split("\n").filter((line) => /error TS/.test(line));
      expect(lines.filter((line) => !line.includes("wrong.ts")).join("\n")).equal("");
      expect(lines.join("\n")).match(/wrong\.ts.*not assignable to type 'string'/);
      expect(operations.length).above(200);
    } finally {
      rmSync(here, { recursive: true });
    }
  });
});
