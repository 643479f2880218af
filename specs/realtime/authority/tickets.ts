import { expect } from "chai";
import { decodeJwt } from "jose";
import { createTickets } from "../../../actors/accounts/tokens/tickets.ts";
import { atOnce } from "../../stress/at-once.ts";
import type { Print } from "../../stress/scenario.ts";
import { createApi } from "../../support/api.ts";
import { movableClock } from "../../support/clock.ts";
import { givenChannels } from "../../support/given-channels.ts";
import type { Service } from "../../support/service.ts";
import { openStores } from "../../support/stores.ts";
import { withService } from "../failures/with-service.ts";
import { WireSocket } from "../wire/wire-socket.ts";
import { AUTHORITY_SERVICE } from "./authority.ts";

type TicketsOptions = {
  seed: number;
  tickets: number;
  /** Connections that race for each ticket. */
  racers: number;
  /** Number of expired tickets, and of tickets used from another site's page. */
  others: number;
};

const TOO_OLD_MS = 31_000;
/** Concurrent races. */
const AT_ONCE = 20;

/**
 * Each ticket opens one socket, however many connections use it at once at two workers; an expired one or one from another site
 * opens none.
 */
export const runTickets = (options: TicketsOptions, print: Print) =>
  withService(AUTHORITY_SERVICE, (service) => raceForTickets(service, options, print));

const numbers = (count: number) => [...Array(count).keys()];

export async function raceForTickets(
  service: Service,
  { tickets, racers, others }: TicketsOptions,
  print: Print,
) {
  const stores = await openStores(service.env.MONGODB_DATABASE);
  const port = Number(service.env.REALTIME_PORT);
  // A ticket counts only for a session that the database has.
  const given = givenChannels({ api: createApi(service.http), clock: movableClock(), ingestKey: "" });
  // As many users as races at a time, since one may have a few sockets.
  const users = await Promise.all(numbers(AT_ONCE).map(() => given.user()));
  let issued = 0;
  const issue = (ageMs: number, via: "bearer" | "cookie") => {
    const clock = { now: () => Date.now() - ageMs };
    const user = users[issued++ % users.length];
    if (!user) throw new Error("there are users");
    const caller = {
      kind: "user",
      userId: user.id,
      username: user.username,
      sessionId: String(decodeJwt(user.token).sid),
      via,
      grant: null,
    } as const;
    return createTickets({ redis: stores.redis, clock }).issue(caller);
  };
  const connect = async (ticket: string, headers: Record<string, string> = {}) => {
    const socket = new WireSocket({ port, path: `/v1/ws?ticket=${ticket}`, headers });
    const { status } = await socket.upgraded;
    socket.cut();
    return status;
  };
  try {
    const races = await atOnce(AT_ONCE, numbers(tickets), async () => {
      const ticket = await issue(0, "bearer");
      return Promise.all(numbers(racers).map(() => connect(ticket)));
    });
    const old = await atOnce(AT_ONCE, numbers(others), async () =>
      connect(await issue(TOO_OLD_MS, "bearer")),
    );
    const foreign = await atOnce(AT_ONCE, numbers(others), async () =>
      connect(await issue(0, "cookie"), { Origin: "https://elsewhere.example" }),
    );
    const own = await connect(await issue(0, "cookie"), { Origin: `http://127.0.0.1:${port}` });

    const accepted = (statuses: readonly number[]) => statuses.filter((status) => status === 101).length;
    const figures = {
      tickets,
      connections: tickets * racers,
      accepted: accepted(races.flat()),
      twice: races.filter((statuses) => accepted(statuses) !== 1).length,
      oldAccepted: accepted(old),
      foreignAccepted: accepted(foreign),
    };
    print(JSON.stringify(figures));
    expect(figures).include({ accepted: tickets, twice: 0, oldAccepted: 0, foreignAccepted: 0 });
    expect(own, "from a page of the service itself").equal(101);
    expect(new Set(races.flat()), "others get the reason").deep.equal(new Set([101, 401]));
    expect([new Set(old), new Set(foreign)]).deep.equal([new Set([401]), new Set([403])]);
    return figures;
  } finally {
    await stores.close();
  }
}
