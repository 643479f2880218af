/** A gateway as a separate process; what is above the rooms is stubbed as far as its specs allow. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { raidUpdateView } from "../../../actors/raids/raid/view.ts";
import { clientAddressBehind, networksFrom } from "../../../base/addresses.ts";
import { processClock } from "../../../base/clock.ts";
import { newLocalSocket } from "../../../deploy/processes/upgrade-splice/socket-folder.ts";
import { startGateway } from "../../../realtime/gateway/gateway.ts";
import { limitsByAddress } from "../../../realtime/gateway/socket/limits.ts";
import type { TailHandlers } from "../../../realtime/rooms/shard-reader.ts";
import { raidMembersIn } from "../../../store/mongo/raids/raid-members.ts";
import { raidsIn } from "../../../store/mongo/raids/raids.ts";
import { hasFields, inputFromParent, sendToParent } from "../../stress/parent.ts";
import { specSocketFolder } from "../../support/socket-folder.ts";
import { openStores } from "../../support/stores.ts";
import { openRoomsWorld, quiet } from "../rooms/world.ts";
import { now } from "./clock.ts";
import { type GatewayInput, isGatewayOrder } from "./gateway-messages.ts";

const input = inputFromParent<GatewayInput>((value): value is GatewayInput =>
  hasFields(value, "database", "limits", "arrivalsOf"),
);
const stores = await openStores(input.database);
const calls: Record<string, number> = {};
const count = (what: string) => {
  calls[what] = (calls[what] ?? 0) + 1;
};
const { redis } = stores;
const send = redis.sendCommand.bind(redis);
redis.sendCommand = (...args: Parameters<typeof send>) => {
  count(args[0].name.toLowerCase());
  return send(...args);
};
const world = await openRoomsWorld({ stores, clock: "real" });
const raids = raidsIn(stores.mongo.db);
const raidMembers = raidMembersIn(stores.mongo.db);
const arrivals: [streamId: string, seq: number, at: number][] = [];
const watched = new Set(input.arrivalsOf);
const lateness = monitorEventLoopDelay({ resolution: 1 });
lateness.enable();

function stampedHandlers(handlers: TailHandlers): TailHandlers {
  return {
    ...handlers,
    onEvents(events) {
      const at = now();
      for (const { streamId, seq } of events) if (watched.has(streamId)) arrivals.push([streamId, seq, at]);
      handlers.onEvents(events);
    },
  };
}

/** A ticket is a user's id. */
const holderOf = (ticket: string) => ({
  userId: ticket,
  username: "viewer",
  sessionId: ticket,
  viaCookie: false,
  grant: null,
});

const gateway = await startGateway({
  port: 0,
  localSocket: newLocalSocket(specSocketFolder().path),
  clientAddress: clientAddressBehind(networksFrom([])),
  clock: processClock,
  redis,
  isRedisElsewhere: () => false,
  rooms: { ...world.rooms, tail: (handlers) => world.rooms.tail(stampedHandlers(handlers)) },
  presence: world.presence,
  userEvents: world.userEvents,
  control: world.control,
  streams: world.streams,
  tokens: {
    holderOfTicket: async (ticket) => holderOf(ticket),
    redeemTicket: async (ticket) => holderOf(ticket),
    onRevoked: () => () => undefined,
    isRevoked: () => false,
    refusedOf: async () => [],
    noteRevoked: () => undefined,
  },
  directory: { onRenamed: () => () => undefined, newNameOf: () => null },
  staff: { isKnownStaff: () => false, onStaffChanged: () => () => undefined },
  staffLog: { roomShown: async () => undefined },
  raids: {
    membersCame: (raidId, userIds, worker) => raidMembers.came(raidId, userIds, worker, new Date()),
    membersLeft: raidMembers.left,
    membersArrived: (raidId, userIds) => raidMembers.arrived(raidId, userIds, new Date()),
    optedOut: raidMembers.optedOut,
  },
  roomStates: [
    async (streamId) => {
      count("open raids");
      const open = await raids.openAround(streamId);
      return { raids: open.map((raid) => raidUpdateView(raid, new Map(), streamId)) };
    },
    async () => {
      count("open poll");
      return { poll: null };
    },
    async () => {
      count("open prediction");
      return { prediction: null };
    },
  ],
  watching: { heartbeat: async () => 0 },
  moderation: {
    deleteMessage: async () => undefined,
    command: async () => undefined,
    ranAsCommand: async () => false,
  },
  limits: { ...limitsByAddress(1_000), ...input.limits },
  allowedOrigins: [],
  log: quiet,
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

process.on("message", (order) => {
  if (!isGatewayOrder(order)) return;
  if (order.order === "collect") collectGarbage();
  else {
    const { user, system } = process.cpuUsage();
    const usage = { cpuMs: (user + system) / 1_000, rss: process.memoryUsage.rss() };
    const [loopP99Ms, loopMostMs] = [lateness.percentile(99) / 1e6, lateness.max / 1e6];
    lateness.reset();
    const stats = gateway.stats();
    sendToParent({ answer: order.id, usage, stats, loopP99Ms, loopMostMs, calls: { ...calls }, arrivals });
  }
});
sendToParent({ port: gateway.port });
