import { startChild } from "../../stress/child.ts";
import { bundle } from "../../support/bundle.ts";
import { openStores } from "../../support/stores.ts";
import { openRoomsWorld } from "../rooms/world.ts";
import {
  type GatewayInput,
  type GatewayLook,
  type GatewayOrder,
  isListening,
  isLook,
} from "./gateway-messages.ts";

/**
 * Runs `use` with a gateway in a separate process, on the same stores as the rooms that it is given; ends both whatever the
 * outcome. Clients and senders run in the rooms' process, so that their cost isn't the gateway's.
 */
export async function withGateway<T>(
  prepare: (world: GatewayRooms) => Promise<Partial<Omit<GatewayInput, "database">>>,
  use: (gateway: GatewayProcess, world: GatewayRooms) => Promise<T>,
): Promise<T> {
  const database = `livecore_spec_${process.pid}`;
  const world = await openRoomsWorld({ stores: await openStores(database), clock: "real" });
  try {
    const prepared = await prepare(world);
    const gateway = await startGatewayProcess({ database, limits: {}, arrivalsOf: [], ...prepared });
    try {
      return await use(gateway, world);
    } finally {
      await gateway.end();
    }
  } finally {
    await world.close();
  }
}

export type GatewayRooms = Awaited<ReturnType<typeof openRoomsWorld>>;

async function startGatewayProcess(input: GatewayInput) {
  const child = startChild(await bundle("specs/realtime/wire/gateway-child.ts"), input);
  const { port } = await child.next(isListening);
  const send = (order: GatewayOrder) => child.send(order);
  let looks = 0;
  return {
    port,
    pid: child.pid,
    async look(): Promise<GatewayLook> {
      const id = ++looks;
      send({ order: "look", id });
      return child.next((message): message is GatewayLook => isLook(message) && message.answer === id);
    },
    /** So that what is looked at next is memory in use: how much garbage a process keeps differs from Node to Node. */
    collect: () => send({ order: "collect" }),
    async end(): Promise<void> {
      child.kill("SIGKILL");
      await child.ended;
    },
  };
}

export type GatewayProcess = Awaited<ReturnType<typeof startGatewayProcess>>;
