// `npm run screens`: takes the pictures in docs/screens anew. It wants a Chromium, and what a real broadcast wants (docs/media.md).
import { buildWeb } from "../../deploy/installation/build-web.mjs";
import { installed, isExpected, projectRoot } from "../../deploy/installation/install.mjs";
import { node } from "./run.mjs";
import { withStores } from "./stores.mjs";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted.abort(signal));

try {
  await installed(projectRoot);
  await buildWeb();
  await withStores(async (env) => {
    const args = ["--import", "tsx", "specs/web/screens/main.ts", ...process.argv.slice(2)];
    const { code } = await node(args, { env, show: true, signal: interrupted.signal });
    process.exitCode = code ?? 1;
  }, interrupted.signal);
} catch (err) {
  console.error(isExpected(err) ? `\n${err.message}` : err);
  process.exitCode = 1;
}
