import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { signingKey, verifiedId } from "../../../../actors/hooks/signatures.ts";
import { newId } from "../../../../base/ids.ts";
import { givenBilling } from "../../../support/billing.ts";
import { eventually } from "../../../support/eventually.ts";
import type { World } from "../../../support/world.ts";

/** A received request for a clip. */
type Requested = { id: string; type: string; data: Record<string, unknown>; isAccepted: boolean };

/** A media service: a server that verifies signatures and reports by signed webhooks. */
export async function startMediaService() {
  const requested: Requested[] = [];
  const answering = { status: 202 };
  let world: World | null = null;
  const server = createServer((request, answer) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const raw = Buffer.concat(chunks);
      const { headers } = request;
      const nowMs = world?.clock.now() ?? 0;
      const keys = world ? [signingKey(world.requestSecret)] : [];
      try {
        const id = verifiedId(keys, { headers, raw, nowMs });
        const { status } = answering;
        requested.push({ ...JSON.parse(raw.toString()), id, isAccepted: status < 300 });
        answer.writeHead(status).end();
      } catch {
        answer.writeHead(401).end();
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/clips`,
    requested,
    answering,
    /** Sets the world whose requests it accepts and to which it reports. */
    serves: (served: World) => {
      world = served;
    },
    /** Waits until that clip was requested, without waiting for the job's next second. */
    async isRequested(clipId: string): Promise<void> {
      await eventually(
        async () => {
          await world?.core.clipRequests.sweep(() => true);
          return requested.some(({ id }) => id === clipId);
        },
        { what: "the clip is requested" },
      );
    },
    /** `at`: by its own clock. */
    async report(
      type: string,
      data: Record<string, unknown>,
      { id = newId(), at }: { id?: string; at?: Date } = {},
    ): Promise<number> {
      if (!world) throw new Error("it serves nobody");
      const hook = { id, type, data, ...(at ? { created_at: at.toISOString() } : {}) };
      return (await givenBilling(world).send(hook, {}, "mediaHook")).status;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export type SpecMediaService = Awaited<ReturnType<typeof startMediaService>>;
