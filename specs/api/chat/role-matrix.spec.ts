import { expect } from "chai";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { movableClock } from "../../support/clock.ts";
import type { Person } from "../../support/given-channels.ts";
import { openWorld, type World } from "../../support/world.ts";
import { FILES } from "../authorization/requester.ts";
import { givenRoles, type Roles } from "./role-matrix/people.ts";
import { type Door, type Named, ROLES, type Role, type Row } from "./role-matrix/rows.ts";
import { TABLE } from "./role-matrix/table.ts";

/** As a room is when nothing is switched on. */
const NO_MODES = {
  chat_enabled: true,
  slow: null,
  emote_only: false,
  followers_only: null,
  unique_chat: false,
  shield_mode: false,
};

describe("who may do what in a room", function () {
  this.timeout(120_000);
  let world: World;
  let roles: Roles;
  let texts = 0;
  before(async () => {
    world = await openWorld({ clock: movableClock() });
    roles = await givenRoles(world);
  });
  after(async () => {
    roles?.close();
    await world?.close();
  });

  /** Says what the row says twice, before anybody of the table does, and sets its modes. */
  async function arrange({ modes, text, term }: Row, door: Door): Promise<void> {
    if (term) await roles.owner.api.ok("addBlockedTerm", { params: roles.at, body: term });
    if (text) {
      world.clock.move(1_500);
      await roles.speaker.api.ok("sendChatMessage", { params: roles.at, body: { content: text(door) } });
    }
    if (modes)
      await roles.owner.api.ok("updateChatSettings", { params: roles.at, body: { ...NO_MODES, ...modes } });
  }

  async function tidy({ modes, term }: Row): Promise<void> {
    const { owner, at } = roles;
    if (modes) await owner.api.ok("updateChatSettings", { params: at, body: NO_MODES });
    if (!term) return;
    const { items } = await owner.api.ok("listBlockedTerms", { params: at });
    for (const { id } of items.filter((one) => one.term === term.term))
      await owner.api.ok("deleteBlockedTerm", { params: { ...at, term_id: String(id) } });
  }

  async function outcomeOf(row: Row, door: Door, role: Role, named: Named): Promise<string> {
    if (row.isSend) world.clock.move(1_500);
    const standing = await roles.standingOf(role);
    // Those who have sent nothing have no message of their own.
    const own = standing?.own || (await ownMessageOf(row, standing?.person));
    const outcome = await answerTo(row, door, standing?.person ?? null, {
      ...named,
      ...(own ? { own } : {}),
    });
    const isSent = row.isSend && (outcome === "success" || outcome === "held");
    if (standing && (isSent || own)) roles.hasSent(standing.person);
    return outcome;
  }

  async function answerTo(row: Row, door: Door, person: Person | null, named: Named): Promise<string> {
    const saying = row.saying ?? ((n) => `text ${n}`);
    const sent = { text: row.text?.(door) ?? saying(++texts) };
    if (door === "REST") {
      if (!row.operation) throw new Error(`${row.title} isn't an operation`);
      const request = await row.request(named, sent, world);
      const api = person?.api ?? world.api;
      const answer = await api.call(row.operation, {
        ...request,
        params: { ...roles.at, ...request.params },
      });
      if (answer.code !== null) return answer.code;
      return answer.status === 202 ? "held" : answer.status < 300 ? "success" : String(answer.status);
    }
    if (!row.command) throw new Error(`${row.title} isn't a command`);
    const [method, params] = row.command;
    const socket = await roles.socketOf(person);
    const { error, data } = Object(await socket.command(method, params(named, sent)));
    return error?.code ?? (data?.held ? "held" : "success");
  }

  async function ownMessageOf({ title }: Row, person: Person | undefined): Promise<string | undefined> {
    if (!person || !title.includes("own one")) return undefined;
    world.clock.move(1_500);
    const body = { content: `text ${++texts}` };
    return (await person.api.ok("sendChatMessage", { params: roles.at, body })).uuid;
  }

  for (const row of TABLE) {
    const doors: Door[] = [
      ...(row.operation ? ["REST" as const] : []),
      ...(row.command ? ["socket" as const] : []),
    ];
    for (const door of doors) {
      it(`${row.title}, by ${door}`, async () => {
        await arrange(row, door);
        const outcomes: Partial<Record<Role, string>> = {};
        const named = roles.named();
        for (const role of ROLES) outcomes[role] = await outcomeOf(row, door, role, named);
        await tidy(row);
        expect(outcomes).deep.equal(row.expected);
      });
    }
  }

  it("has a line for every operation of a room, and every command", () => {
    const ofRooms = operationsOf(readOpenApi())
      .filter(({ path }) => path.startsWith("/v1/chat/"))
      .map(({ operation }) => operation.operationId);
    expect(new Set(TABLE.map(({ operation }) => operation)), `rows: ${FILES}`).include.keys(ofRooms);
    const commands = new Set(TABLE.flatMap(({ command }) => command?.[0] ?? []));
    expect([...commands]).include.members(["subscribe", "chat.send", "chat.delete", "chat.command"]);
  });
});
