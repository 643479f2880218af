import { expect } from "chai";
import { HOUR_MS } from "../../../../base/durations.ts";
import { newId } from "../../../../base/ids.ts";
import { operationsOf, readOpenApi } from "../../../../contract/openapi-document.ts";
import { votesOfTokens } from "../../../../store/mongo/schema/migrations/0008-votes-of-tokens.ts";
import { Socket } from "../../../realtime/gateway/world.ts";
import type { OperationId } from "../../../support/api.ts";
import { movableClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import type { Channel, Person } from "../../../support/given-channels.ts";
import { setUpWorld } from "../../../support/set-up-world.ts";

describe("tokens for embedded chats", () => {
  const { world, given } = setUpWorld({ clock: movableClock() });

  it("lets a token act for its user in chat, and in nothing else", async () => {
    const ada = await given.user();
    const channel = await given.channel();
    const { token, scopes, name } = await ada.api.ok("createChatToken", {
      body: { site: "fans.example:3000" },
    });
    const embedded = world.api.as({ token });

    expect([name, ...scopes]).deep.equal(["Chat on fans.example:3000", "chat:read", "chat:send"]);
    const message = await embedded.ok("sendChatMessage", { params: channel.at, body: { content: "hello" } });
    expect(message).include({ user_id: ada.id });
    const follow = { params: { user_id: channel.owner.id } };
    expect((await embedded.call("followUser", follow)).code).equal("insufficient_scope");
    expect((await embedded.call("createChatToken", { body: { site: "fans.example" } })).code).equal(
      "insufficient_scope",
    );
  });

  /** A token for the chat of a channel, embedded in a page, and what it is for. */
  async function embedded(owner: Person, { at }: Channel) {
    const body = { site: "fans.example", ...at };
    const { token, ...shown } = await owner.api.ok("createChatToken", { body });
    return { api: world.api.as({ token }), shown };
  }

  it("refuses a token for a banned account's channel like for one that never was", async () => {
    const [ada, { at, owner }] = [await given.user(), await given.channel()];
    const users = world.core.mongo.db.collection<{ _id: string }>("users");
    await users.updateOne({ _id: owner.id }, { $set: { status: "banned" } });

    const answers = await Promise.all(
      [at, { stream_id: newId() }].map((of) =>
        ada.api.call("createChatToken", { body: { site: "fans.example", ...of } }),
      ),
    );
    expect(answers.map(({ code }) => code)).deep.equal(["not_found", "not_found"]);
  });

  it("refuses another account's session than that of the user who agreed, and creates nothing", async () => {
    const [ada, ben, { at }] = [await given.user(), await given.user(), await given.channel()];
    const body = { site: "fans.example", ...at, user_id: ada.id };
    const { status, code } = await ben.api.call("createChatToken", { body });
    expect([status, code]).deep.equal([409, "invalid_state"]);
    expect((await ben.api.ok("listApiTokens")).items).deep.equal([]);
    for (const user_id of [ada.id, ada.id.toUpperCase()])
      expect((await ada.api.call("createChatToken", { body: { ...body, user_id } })).status).equal(201);
  });

  it("lets a token read and write only in the chat of its channel", async () => {
    const [ada, own, other] = [await given.user(), await given.channel(), await given.channel()];
    const { api, shown } = await embedded(ada, own);
    expect(shown).include({ site: "fans.example", stream_id: own.stream.id });
    expect((await ada.api.ok("listTokens")).items[0]).include({ stream_id: own.stream.id });

    const body = { content: "hello" };
    expect(await api.ok("sendChatMessage", { params: own.at, body })).include({ user_id: ada.id });
    await api.ok("listChatMessages", { params: own.at });
    await api.ok("createWsTicket");
    const refused = [
      await api.call("sendChatMessage", { params: other.at, body }),
      await api.call("listChatMessages", { params: other.at }),
      await api.call("sendBotMessage", { body: { ...own.at, ...body } }),
      await api.call("listBotMessages"),
      await api.call("listGlobalEmotes"),
    ];
    for (const { status, code, details } of refused) {
      expect([status, code]).deep.equal([403, "insufficient_scope"]);
      expect(details).include({ stream_id: own.stream.id });
    }
  });

  it("refuses a token at every operation that doesn't name its channel in the path", async () => {
    const [ada, own] = [await given.user(), await given.channel()];
    const { api } = await embedded(ada, own);
    for (const { operation, path } of operationsOf(readOpenApi())) {
      const { "x-access": access, "x-scopes": scopes } = operation;
      const isChecked = access.who === "session" || access.who === "optional";
      if (!isChecked || scopes === "any" || scopes === undefined) continue;
      const params = Object.fromEntries(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, newId()]),
      );
      const { code } = await api.call(operation.operationId as OperationId, { params });
      expect(code, operation.operationId).equal("insufficient_scope");
    }
  });

  it("opens sockets that follow and write only in the chat of the token's channel", async () => {
    const [ada, own, other] = [await given.user(), await given.channel(), await given.channel()];
    const { api } = await embedded(ada, own);
    const { ticket } = await api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    const outcome = async (method: "subscribe" | "chat.send", params: object) => {
      const { code, details } = Object((await socket.command(method, params)).error);
      return code === undefined ? "done" : [code, details.stream_id];
    };
    try {
      for (const [{ stream }, expected] of [
        [own, "done"],
        [other, ["insufficient_scope", own.stream.id]],
      ] as const) {
        const channel = `chat:${stream.id}`;
        expect(await outcome("subscribe", { channel })).deep.equal(expected);
        expect(await outcome("chat.send", { channel, content: "hello" })).deep.equal(expected);
      }
      const second = await api.ok("createWsTicket");
      const path = `${world.socketUrl}/v1/ws/chat/${other.stream.id}?ticket=${second.ticket}`;
      const dedicated = new Socket(path);
      await eventually(() => dedicated.refused !== null, { what: "the refusal of a dedicated path" });
      expect(dedicated.refused?.body).include({ code: "insufficient_scope" });
    } finally {
      socket.terminate();
    }
  });

  it("sends a token only those events of its user that decide about held messages of its channel", async () => {
    const [ada, own, other] = [await given.user(), await given.channel(), await given.channel()];
    const { api } = await embedded(ada, own);
    const { ticket } = await api.ok("createWsTicket");
    const socket = new Socket(`${world.socketUrl}/v1/ws?ticket=${ticket}`);
    try {
      expect((await socket.command("subscribe", { channel: "user" })).error).equal(undefined);
      await ada.api.ok("followUser", { params: { user_id: own.owner.id } });
      await eventually(
        async () => (await ada.api.ok("getPoints", { params: { user_id: own.owner.id } })).balance > 0,
      );
      const held: string[] = [];
      for (const { owner, at } of [other, own]) {
        await owner.api.ok("addBlockedTerm", { params: at, body: { term: "spoiler", action: "hold" } });
        const body = { content: "a spoiler" };
        const answer = await ada.api.call("sendChatMessage", { params: at, body });
        const held_id = String(Object(answer.body).id);
        held.push(held_id);
        await owner.api.ok("denyHeldMessage", { params: { ...at, held_id } });
      }
      await socket.next("chat.held_resolved");
      const heard = socket.messages.filter((one) => "channel" in one && one.channel === "user");
      expect(heard.map(({ type }) => type)).deep.equal(["subscribed", "chat.held_resolved"]);
      expect(heard[1]).property("data").property("id", held[1]);
    } finally {
      socket.terminate();
    }
  });

  it("refuses votes in polls, which take a scope of their own", async () => {
    const [ada, own] = [await given.user(), await given.channel()];
    const poll = { question: "Which?", options: ["One", "Two"], duration_sec: 60 };
    const { id: poll_id, options } = await own.owner.api.ok("createPoll", { params: own.at, body: poll });
    const vote = { params: { poll_id }, body: { option_id: options[0]?.id ?? "" } };
    const { api } = await embedded(ada, own);
    const old = await ada.api.ok("createChatToken", { body: { site: "fans.example" } });
    const sends = await ada.api.ok("createToken", { body: { name: "Bot", scopes: ["chat:send"] } });
    const votes = await ada.api.ok("createToken", { body: { name: "Bot", scopes: ["polls:vote"] } });

    expect((await api.call("voteInPoll", vote)).code).equal("insufficient_scope");
    for (const { token } of [old, sends])
      expect((await world.api.as({ token }).call("voteInPoll", vote)).code).equal("insufficient_scope");
    expect((await world.api.as({ token: votes.token }).call("voteInPoll", vote)).status).equal(200);
  });

  it("keeps votes of tokens that were made by name before voting had a scope", async () => {
    const ada = await given.user();
    const named = await ada.api.ok("createToken", { body: { name: "Bot", scopes: ["chat:send"] } });
    const reads = await ada.api.ok("createToken", { body: { name: "Reader", scopes: ["chat:read"] } });
    const site = await ada.api.ok("createChatToken", { body: { site: "fans.example" } });
    await votesOfTokens.run(world.core.mongo.db);
    await votesOfTokens.run(world.core.mongo.db);

    const { items } = await ada.api.ok("listTokens");
    const scopesOf = (id: string) => items.find((one) => one.id === id)?.scopes;
    expect(scopesOf(named.id)).deep.equal(["chat:send", "polls:vote"]);
    expect(scopesOf(reads.id)).deep.equal(["chat:read"]);
    expect(scopesOf(site.id)).deep.equal(["chat:read", "chat:send"]);
  });

  it("lets a token end itself, and nothing but itself", async () => {
    const [ada, own] = [await given.user(), await given.channel()];
    const [first, other] = [await embedded(ada, own), await embedded(ada, await given.channel())];

    await first.api.ok("endChatToken");
    expect((await first.api.call("createWsTicket")).code).equal("invalid_token");
    expect((await other.api.call("createWsTicket")).status).equal(200);
    expect((await ada.api.ok("listApiTokens")).items.map(({ id }) => id)).deep.equal([other.shown.id]);
    expect((await ada.api.call("endChatToken")).code).equal("forbidden");
    expect(world.auditedOf("api_token.ended", ada.id).map(({ reason }) => reason)).deep.equal(["removed"]);
  });

  it("ends a token with the session that made it", async () => {
    const [ada, own] = [await given.user(), await given.channel()];
    const second = await given.signedInAgain(ada);
    const [first, other] = [await embedded(ada, own), await embedded(second, await given.channel())];
    const named = await second.api.ok("createToken", { body: { name: "Bot" } });

    await ada.api.ok("endSessions");
    expect((await first.api.call("createWsTicket")).status).equal(200);
    expect((await other.api.call("createWsTicket")).code).equal("invalid_token");
    expect((await world.api.as({ token: named.token }).call("createWsTicket")).status).equal(200);
    await ada.api.ok("logout");
    expect((await first.api.call("createWsTicket")).code).equal("invalid_token");
    const ended = world.auditedOf("api_token.ended", ada.id).map(({ reason }) => reason);
    expect(ended).deep.equal(["removed", "log_out"]);
  });

  it("ends tokens that a session makes while it ends", async () => {
    const own = await given.channel();
    const tokens: string[] = [];
    for (let round = 0; round < 20; round++) {
      const { api } = await given.user();
      const making = Array.from({ length: 10 }, async (_, n) => {
        // Some more each time, so that they are made at different times of the session's end.
        for (let calls = 0; calls < n; calls++) await world.api.ok("getHealth");
        const body = { site: `fans${n}.example`, ...own.at };
        const { body: made, status } = await api.call("createChatToken", { body });
        if (status === 201) tokens.push(Object(made).token);
      });
      for (let calls = 0; calls < 1 + (round % 5); calls++) await world.api.ok("getHealth");
      await Promise.all([...making, api.ok("logout")]);
    }

    const codes = tokens.map(async (token) => (await world.api.as({ token }).call("createWsTicket")).code);
    expect(tokens).not.deep.equal([]);
    expect(await Promise.all(codes)).deep.equal(tokens.map(() => "invalid_token"));
  });

  it("ends tokens with a changed password, except tokens of the session that changed it", async () => {
    const [ada, own] = [await given.user(), await given.channel()];
    const second = await given.signedInAgain(ada);
    const [first, other] = [await embedded(ada, own), await embedded(second, await given.channel())];
    const named = await second.api.ok("createToken", { body: { name: "Bot" } });
    const bot = world.api.as({ token: named.token });
    const body = { current_password: "a long phrase for specs", new_password: "another long phrase for it" };

    await ada.api.ok("changePassword", { body });
    expect((await first.api.call("createWsTicket")).status).equal(200);
    expect((await other.api.call("createWsTicket")).code).equal("invalid_token");
    expect((await bot.call("createWsTicket")).status).equal(200);

    const again = { current_password: body.new_password, new_password: "a third long phrase for it" };
    await ada.api.ok("changePassword", { body: { ...again, end_tokens: true } });
    for (const api of [first.api, bot])
      expect((await api.call("createWsTicket")).code).equal("invalid_token");
  });

  it("ends all tokens with all other sessions if their owner asks for it", async () => {
    const ada = await given.user();
    const first = await embedded(ada, await given.channel());
    const named = await ada.api.ok("createToken", { body: { name: "Bot" } });
    const apis = [first.api, world.api.as({ token: named.token })];

    await ada.api.ok("endSessions", { query: { tokens: "true" } });
    for (const api of apis) expect((await api.call("createWsTicket")).code).equal("invalid_token");
    expect((await ada.api.ok("listTokens")).items).deep.equal([]);
  });

  it("refuses a token for a channel that doesn't exist", async () => {
    const { api } = await given.user();
    const body = { site: "fans.example", stream_id: newId() };
    expect((await api.call("createChatToken", { body })).code).equal("not_found");
  });

  it("keeps one token for each site and channel", async () => {
    const { api } = await given.user();
    const first = await api.ok("createChatToken", { body: { site: "fans.example" } });
    await api.ok("createChatToken", { body: { site: "other.example" } });
    await api.ok("createApiToken", { body: { name: "Chat on fans.example" } });
    const second = await api.ok("createChatToken", { body: { site: "fans.example" } });

    const { items } = await api.ok("listApiTokens");
    expect(items.map(({ name }) => name).sort()).deep.equal([
      "Chat on fans.example",
      "Chat on fans.example",
      "Chat on other.example",
    ]);
    expect(items.map(({ id }) => id))
      .include(second.id)
      .and.not.include(first.id);
    const before = await world.api.as({ token: first.token }).call("createWsTicket");
    expect([before.status, before.code]).deep.equal([401, "invalid_token"]);
  });

  it("ends a token after four hours", async () => {
    const { api } = await given.user();
    const { token, expires_at: until } = await api.ok("createChatToken", { body: { site: "fans.example" } });
    const left = Date.parse(until ?? "") - world.clock.now();
    expect(left).within(4 * HOUR_MS - 60_000, 4 * HOUR_MS);
    world.clock.move(left + 1);
    const after = await world.api.as({ token }).call("createWsTicket");
    expect([after.status, after.code]).deep.equal([401, "invalid_token"]);
  });

  for (const site of [
    "https://fans.example",
    "Fans.example",
    "fans.example/x",
    "-",
    "a b",
    "fans.example:",
  ]) {
    it(`refuses ${JSON.stringify(site)} as a site`, async () => {
      const { api } = await given.user();
      expect((await api.call("createChatToken", { body: { site } })).code).equal("validation_failed");
    });
  }
});
