import { setTimeout as pause } from "node:timers/promises";
import { expect } from "chai";
import type { LoadScenario, Room } from "../../stress/checker/load-scenario.ts";
import type { MessageLoad } from "../../stress/checker/message-load.ts";
import { hasFields } from "../../stress/parent.ts";
import { percentile } from "../../stress/percentile.ts";
import { createApi } from "../../support/api.ts";
import { eventually } from "../../support/eventually.ts";
import type { Person } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";
import { Socket } from "../gateway/world.ts";

/** Features beside chat that use Redis: each of these functions throws when one doesn't work. */
export type EveryDay = { service: Service; load: LoadScenario; messageLoad: MessageLoad };

/** A ban applies to the next message; earlier messages are hidden. Resolves with the hidden message's uuid. */
export async function moderate(guest: Person, { channel, watchers }: Room): Promise<string> {
  const { owner, at } = channel;
  const sent = await guest.api.ok("sendChatMessage", {
    params: at,
    body: { content: `hello of ${guest.id}` },
  });
  const [watcher] = watchers;
  if (!watcher) throw new Error("nobody watches the room");
  const before = watcher.trace.events;

  await owner.api.ok("banUser", { params: { ...at, user_id: guest.id }, body: {} });

  const refused = await guest.api.call("sendChatMessage", { params: at, body: { content: "still there?" } });
  expect(refused, "a send after the ban was answered").include({ code: "banned" });
  const history = await owner.api.ok("listChatMessages", { params: at, query: { limit: 100 } });
  const shown = history.items.find(({ uuid }) => uuid === sent.uuid);
  expect(shown?.is_deleted ?? true, "what the banned one sent is hidden").equal(true);
  await eventually(() => watcher.trace.events > before, { what: "the room receives the ban" });
  await owner.api.ok("unbanUser", { params: { ...at, user_id: guest.id } });
  return sent.uuid;
}

/** Devices and users are counted by their heartbeats, whichever worker receives them; subscribers of the count receive it. */
export async function watch({ service }: EveryDay, viewer: Person, { channel: { at } }: Room): Promise<void> {
  const anonymous = createApi(service.http);
  const socket = openSocket(service, `viewers/${at.stream_id}`);
  try {
    await socket.next("subscribed");
    for (const device_id of ["a", "b", "b"]) {
      await anonymous.ok("heartbeat", { body: { ...at, device_id } });
    }
    await viewer.api.ok("heartbeat", { body: at });

    const { viewer_count } = await viewer.api.ok("getViewerCount", { params: at });
    expect(viewer_count, "viewers").equal(3);
    const isPublished = () =>
      socket
        .ofType("viewers.count")
        .some(({ data }) => hasFields(data, "viewer_count") && data.viewer_count === 3);
    await eventually(isPublished, { withinMs: 10_000, what: "the count is published" });
  } finally {
    socket.terminate();
  }
}

/** Each ticket opens one socket, of several concurrent attempts. */
export async function enter({ service }: EveryDay, person: Person, tickets: number): Promise<void> {
  for (let i = 0; i < tickets; i++) {
    const { ticket } = await person.api.ok("createWsTicket");
    const sockets = Array.from({ length: 3 }, () => openSocket(service, `user?ticket=${ticket}`));
    const letIn = () => sockets.filter((socket) => socket.ofType("hello").length > 0).length;
    const refused = () => sockets.filter((socket) => socket.refused?.status === 401).length;
    await eventually(() => letIn() + refused() === sockets.length, { what: "each is let in or refused" });
    for (const socket of sockets) socket.terminate();
    expect(letIn(), "sockets that one ticket opened").equal(1);
  }
}

/** Events of a user reach that user's sockets, and the end of the session closes them. */
export async function receiveAndLeave({ service, load }: EveryDay, { channel }: Room): Promise<void> {
  const fan = await load.given.user();
  const tickets = await Promise.all([0, 1, 2].map(() => fan.api.ok("createWsTicket")));
  const sockets = tickets.map(({ ticket }) => openSocket(service, `user?ticket=${ticket}`));
  try {
    await Promise.all(sockets.map((socket) => socket.next("subscribed")));

    await fan.api.ok("followUser", { params: { user_id: channel.owner.id } });

    await Promise.all(sockets.map((socket) => socket.next("points.changed")));
    await fan.api.ok("logout");
    const endings = await Promise.all(sockets.map((socket) => socket.ending()));
    expect(endings.map(({ code }) => code)).deep.equal([4009, 4009, 4009]);
  } finally {
    for (const socket of sockets) socket.terminate();
  }
}

const PROBES = 9;
/** Far below the half second after which a worker polls the rooms' logs when it can't tail them. */
const PROMPT_MS = 150;

/** Messages arrive by push, not by polling. Resolves with the median time from the answer to a client, ms. */
export async function expectPrompt({ channel, watchers }: Room): Promise<number> {
  const { owner, at } = channel;
  const [watcher] = watchers;
  if (!watcher) throw new Error("nobody watches the room");
  const tookMs: number[] = [];
  for (let probe = 0; probe < PROBES; probe++) {
    await eventually(() => watcher.isCaughtUp);
    const content = `probe ${probe} of ${owner.id}`;
    const { uuid } = await owner.api.ok("sendChatMessage", { params: at, body: { content } });
    const answeredAt = performance.now();
    const place = () => watcher.record.places.get(uuid);
    await eventually(() => {
      const shown = place();
      return shown !== undefined && watcher.trace.has(shown);
    });
    tookMs.push(performance.now() - answeredAt);
    await pause(60);
  }
  const median = percentile(tookMs, 0.5);
  expect(median, "from the answer to a client, ms").most(PROMPT_MS);
  return median;
}

/** A room's sockets are counted over all workers, each of which reports its own every few seconds. */
export async function expectCounted({ channel, watchers }: Room): Promise<void> {
  const { owner, at } = channel;
  let counted = -1;
  for (let tries = 0; tries < 30 && counted !== watchers.length; tries++) {
    if (tries > 0) await pause(500);
    const body = { slow: tries % 2 === 0 ? 5 : 10 };
    ({ connections: counted } = await owner.api.ok("updateChatSettings", { params: at, body }));
  }
  expect(counted, "sockets in a room").equal(watchers.length);
}

const openSocket = ({ http }: Service, path: string): Socket =>
  new Socket(`${http.replace(/^http/, "ws")}/v1/ws/${path}`);
