import type { Environment } from "../config/environment.ts";

/** Where programs, a user's files and libraries are, and how texts and times are written. */
const SYSTEM =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TZDIR|TMPDIR|LD_LIBRARY_PATH|DYLD_LIBRARY_PATH)$/;
/**
 * What Node itself reads: options, certificates, proxies, threads, coverage; the colours of a terminal; and where a debugger waits,
 * which VS Code's script in NODE_OPTIONS reads.
 */
const NODE =
  /^(NODE_(OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|USE_SYSTEM_CA|USE_ENV_PROXY|V8_COVERAGE|COMPILE_CACHE|NO_WARNINGS|DEBUG)|SSL_CERT_(FILE|DIR)|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|UV_THREADPOOL_SIZE|TERM|COLORTERM|(NO|FORCE)_COLOR|LD_PRELOAD|VSCODE_INSPECTOR_OPTIONS|MALLOC_[A-Z_]+)$/;

const those = (env: Environment, isTaken: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && isTaken(name) ? [[name, value]] : [],
    ),
  );

/** For a program of others, such as a store: nothing of the service's configuration, nor of the shell that started it. */
export const programEnvironment = (env: Environment): Record<string, string> =>
  those(env, (name) => SYSTEM.test(name));

/** For a process of ours that takes these variables. */
export function nodeEnvironment(env: Environment, variables: readonly string[]): Record<string, string> {
  const taken = new Set(variables);
  return those(env, (name) => taken.has(name) || SYSTEM.test(name) || NODE.test(name));
}
