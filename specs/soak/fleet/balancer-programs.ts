import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePorts } from "../../../deploy/development/stores/ports.ts";
import { projectRoot } from "../../../deploy/processes/config/project.ts";
import { eventually } from "../../support/eventually.ts";

export const BALANCERS = ["haproxy", "nginx"] as const;
export type BalancerName = (typeof BALANCERS)[number];

export type Balancer = { url: string; stop(): Promise<void> };

/** The page's own addresses of the two hosts. */
const ADDRESSES = ["10.0.0.11:8080", "10.0.0.12:8080"] as const;
const FOLDERS = ["/usr/sbin", "/usr/local/sbin", "/usr/bin"];

/** The program's path; null where it isn't installed. */
export const programOf = (name: BalancerName): string | null =>
  FOLDERS.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null;

/** Debian's package, where it is missing; needs root. */
export function install(name: BalancerName): void {
  if (programOf(name) === null)
    execFileSync("apt-get", ["install", "-y", "--no-install-recommends", name], { stdio: "ignore" });
}

/**
 * Starts the program with the lines of docs/balancers.md in front of two hosts, on a port of its own. Each answer says in `x-host`
 * whose it is.
 */
export async function startBalancer(
  name: BalancerName,
  { hosts, folder }: { hosts: readonly [string, string]; folder: string },
): Promise<Balancer> {
  const program = programOf(name);
  if (program === null) throw new Error(`there is no ${name} here`);
  const [port = 0] = await freePorts(1);
  const children: ChildProcess[] = [];
  const run = (command: string, args: string[]) => {
    // In a group of its own, so that what it starts ends with it.
    const child = spawn(command, args, { stdio: "ignore", detached: true });
    children.push(child);
  };
  const start = { haproxy: startHaproxy, nginx: startNginx }[name];
  const stop = async () => {
    await Promise.all(children.splice(0).map(end));
  };
  try {
    await start({ program, run, port, folder, lines: (language) => linesFor(language, hosts) });
    const url = `http://127.0.0.1:${port}`;
    await eventually(async () => (await fetch(`${url}/livez`)).ok, { what: `${name} answers` });
    return { url, stop };
  } catch (err) {
    await stop();
    throw err;
  }
}

type Start = {
  program: string;
  run: (command: string, args: string[]) => void;
  port: number;
  folder: string;
  lines: (language: string) => string;
};

function startHaproxy({ program, run, port, folder, lines }: Start): void {
  const file = join(folder, "haproxy.cfg");
  const config = replaced(lines("haproxy"), [
    ["bind :80", `bind 127.0.0.1:${port}`],
    ["default_backend rest", "default_backend rest\n  http-response set-header x-host %si:%sp"],
  ]);
  writeFileSync(file, config);
  run(program, ["-db", "-f", file]);
}

async function startNginx({ program, run, port, folder, lines }: Start): Promise<void> {
  const file = join(folder, "nginx.conf");
  const upstreams = join(folder, "livecore");
  const server = replaced(lines("nginx"), [
    ["listen 80", `listen 127.0.0.1:${port}`],
    ["/etc/nginx/livecore/rest.conf", `${upstreams}/rest.conf`],
    ["/etc/nginx/livecore/sockets.conf", `${upstreams}/sockets.conf`],
  ]);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  const head = [
    ...(process.getuid?.() === 0 ? ["user root;"] : []),
    "daemon off; worker_processes 1;",
    `pid ${folder}/nginx.pid; error_log ${folder}/error.log;`,
    "events { worker_connections 512; }",
    `http { access_log off; ${temporary.join(" ")} add_header x-host $upstream_addr always;`,
  ];
  writeFileSync(file, `${head.join("\n")}\n${server}\n}\n`);
  const script = join(folder, "checks.sh");
  writeFileSync(
    script,
    replaced(lines("sh"), [
      ["folder=/etc/nginx/livecore", `folder=${upstreams}`],
      ["nginx -s reload", `${program} -c ${file} -s reload`],
    ]),
  );
  run("sh", [script]);
  const isWritten = () => ["rest", "sockets"].every((one) => existsSync(join(upstreams, `${one}.conf`)));
  await eventually(isWritten, { what: "the checks have begun" });
  run(program, ["-c", file]);
}

/** A block of the page, with these hosts instead of its own. */
function linesFor(language: string, hosts: readonly [string, string]): string {
  const page = readFileSync(join(projectRoot, "docs/balancers.md"), "utf8");
  const [, lines] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(page) ?? [];
  if (lines === undefined) throw new Error(`docs/balancers.md has no ${language}`);
  return ADDRESSES.reduce((text, address, i) => text.replaceAll(address, hosts[i] ?? ""), lines);
}

function replaced(text: string, pairs: [from: string, to: string][]): string {
  return pairs.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`docs/balancers.md has no ${from}`);
    return before.replace(from, () => to);
  }, text);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const gone = once(child, "exit");
  process.kill(-child.pid, "SIGTERM");
  const late = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), 5_000);
  await gone;
  clearTimeout(late);
}
