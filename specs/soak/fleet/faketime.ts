import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Also for programs with several threads. */
const libraryOf = (triple: string) => `/usr/lib/${triple}/faketime/libfaketimeMT.so.1`;
const TRIPLES = { x64: "x86_64-linux-gnu", arm64: "aarch64-linux-gnu" } as const;

/** Debian's libfaketime, which is installed if need be (as root). */
function library(): string {
  const triple = process.arch === "x64" || process.arch === "arm64" ? TRIPLES[process.arch] : null;
  if (triple === null) throw new Error(`faketime isn't known for ${process.arch}`);
  const path = libraryOf(triple);
  if (!existsSync(path)) execFileSync("apt-get", ["install", "-y", "libfaketime"], { stdio: "ignore" });
  return path;
}

/**
 * Another wall clock for processes. They read its file again within ten seconds; then their monotonic clock jumps with it, as no
 * real one does, so that this is the harder trial.
 */
export function openFakeTime() {
  const preload = library();
  const home = mkdtempSync(join(tmpdir(), "livecore-faketime-"));
  const file = join(home, ".faketimerc");
  return {
    shift(seconds: number): void {
      writeFileSync(`${file}.new`, `${seconds < 0 ? "" : "+"}${seconds}s\n`);
      renameSync(`${file}.new`, file);
    },
    /** For the processes. A worker gets no FAKETIME of its environment, but its HOME. */
    env: { LD_PRELOAD: preload, HOME: home },
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}
