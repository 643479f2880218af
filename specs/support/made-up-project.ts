import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

type Ran = { code: number; output: string; written: string };

/** Runs a script on a project of these modules: its exit code, its output, and what it wrote into `outputFile`. */
export async function runOnProject(
  script: string,
  modules: Record<string, string>,
  outputFile?: string,
): Promise<Ran> {
  const root = mkdtempSync(join(tmpdir(), "livecore-project-"));
  try {
    for (const [path, source] of Object.entries(modules)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), source);
    }
    const ran = await new Promise<Omit<Ran, "written">>((resolve) => {
      execFile(process.execPath, [script, root], (err, stdout, stderr) =>
        resolve({ code: typeof err?.code === "number" ? err.code : 0, output: stdout + stderr }),
      );
    });
    const isWritten = outputFile !== undefined && ran.code === 0;
    return { ...ran, written: isWritten ? readFileSync(join(root, outputFile), "utf8") : "" };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
