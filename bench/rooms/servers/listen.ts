import { once } from "node:events";
import type { Server } from "node:http";

/** Resolves with the port. */
export async function listen(server: Server): Promise<number> {
  // Thousands connect within a second.
  server.listen({ host: "127.0.0.1", port: 0, backlog: 4_096 });
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a server without a port");
  return address.port;
}
