import { createConnection } from "node:net";

/** Kept out of the arguments, which every user of the machine can see. */
export const valkeyConfiguration = (password: string): string => `requirepass ${password}\n`;

export function valkeyArguments(of: {
  port: number;
  data: string;
  configFile: string;
  throwaway: boolean;
}): string[] {
  const { port, data, configFile, throwaway } = of;
  return [
    ...[configFile, "--port", String(port), "--bind", "127.0.0.1", "--dir", data],
    ...["--appendonly", throwaway ? "no" : "yes", "--appendfsync", "everysec", "--save", ""],
    // Queues and rooms break in unpredictable ways when keys are evicted.
    ...["--maxmemory-policy", "noeviction", "--databases", "16"],
  ];
}

export const valkeyUrl = (port: number, password: string): string =>
  `redis://:${password}@127.0.0.1:${port}/0`;

/**
 * Resolves when it accepts the password and answers PING, which it refuses while it loads its data. A server without a password
 * rejects the AUTH, so this rejects.
 */
export function valkeyReady(port: number, password: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    const end = (err: Error | null) => {
      socket.destroy();
      if (err) reject(err);
      else resolve();
    };
    let answer = "";
    socket.setTimeout(2_000, () => end(new Error("valkey doesn't answer")));
    socket.once("error", end);
    socket.once("connect", () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on("data", (chunk) => {
      answer += chunk.toString();
      const [auth, ping, rest] = answer.split("\r\n");
      if (rest === undefined) return;
      end(auth === "+OK" && ping === "+PONG" ? null : new Error(`valkey answered ${auth}, ${ping}`));
    });
    socket.once("close", () => end(new Error("valkey closed the connection")));
  });
}
