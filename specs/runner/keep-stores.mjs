// `npm run stores`: throwaway stores that stay until Ctrl-C, for specs that an editor or a debugger starts, or that run many times.
import { installed, isExpected, projectRoot } from "../../deploy/installation/install.mjs";
import { withStores } from "./stores.mjs";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => interrupted.abort(signal));

async function untilInterrupted(env) {
  console.log("Throwaway stores run until Ctrl-C. In another terminal:\n");
  for (const name of ["MONGODB_URL", "REDIS_URL", "NODE_ENV"]) console.log(`export ${name}='${env[name]}'`);
  await new Promise((resolve) => {
    // A promise alone doesn't keep the process.
    const keep = setInterval(() => undefined, 2 ** 30);
    const end = () => resolve(clearInterval(keep));
    if (interrupted.signal.aborted) end();
    else interrupted.signal.addEventListener("abort", end, { once: true });
  });
}

try {
  await installed(projectRoot);
  await withStores(untilInterrupted, interrupted.signal, { inMemory: true });
} catch (err) {
  console.error(isExpected(err) ? `\n${err.message}` : err);
  process.exitCode = 1;
}
