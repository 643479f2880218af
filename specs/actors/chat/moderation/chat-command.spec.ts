import { expect } from "chai";
import { parseChatCommand, scopesOfCommand } from "../../../../actors/chat/moderation/chat-command.ts";
import { newId } from "../../../../base/ids.ts";
import { ServiceError } from "../../../../contract/errors.ts";
import { operationsOf, readOpenApi } from "../../../../contract/openapi-document.ts";

function problemOf(text: string): string {
  try {
    return `none: ${JSON.stringify(parseChatCommand(text, "/body/command"))}`;
  } catch (err) {
    if (err instanceof ServiceError && err.code === "validation_failed") return JSON.stringify(err.details);
    throw err;
  }
}

/** What commands stand for; the others change settings. */
const ACTS: Readonly<Record<string, string>> = {
  ban: "banUser",
  unban: "unbanUser",
  timeout: "timeoutUser",
  untimeout: "untimeoutUser",
  mod: "addModerator",
  unmod: "removeModerator",
  vip: "addVip",
  unvip: "removeVip",
  clear: "clearChat",
  delete: "deleteChatMessage",
};

describe("a slash command", () => {
  const id = newId();
  const settings = (change: object) => ({ kind: "settings", change });
  const READ: [string, object][] = [
    ["/ban Bob", { kind: "ban", username: "bob", reason: null }],
    ["  /BAN  @bob  spoilers,  again ", { kind: "ban", username: "bob", reason: "spoilers,  again" }],
    ["/unban bob", { kind: "unban", username: "bob" }],
    ["/timeout bob", { kind: "timeout", username: "bob", seconds: 600, reason: null }],
    ["/timeout bob 5", { kind: "timeout", username: "bob", seconds: 5, reason: null }],
    ["/timeout bob 10m loud", { kind: "timeout", username: "bob", seconds: 600, reason: "loud" }],
    ["/timeout bob too loud", { kind: "timeout", username: "bob", seconds: 600, reason: "too loud" }],
    ["/timeout bob 2w", { kind: "timeout", username: "bob", seconds: 1_209_600, reason: null }],
    ["/timeout @Bob, 10 minutes", { kind: "timeout", username: "bob", seconds: 600, reason: null }],
    ["/timeout bob 1h30m loud", { kind: "timeout", username: "bob", seconds: 5_400, reason: "loud" }],
    ["/timeout bob 10min", { kind: "timeout", username: "bob", seconds: 600, reason: null }],
    [
      "/timeout bob 1 hour, 30 minutes of rest",
      { kind: "timeout", username: "bob", seconds: 5_400, reason: "of rest" },
    ],
    ["/timeout bob 1 day and 2 hours", { kind: "timeout", username: "bob", seconds: 93_600, reason: null }],
    ["/timeout bob 1h and out", { kind: "timeout", username: "bob", seconds: 3_600, reason: "and out" }],
    ["/timeout bob 10m 3 warnings", { kind: "timeout", username: "bob", seconds: 600, reason: "3 warnings" }],
    ["/timeout bob 600 spam", { kind: "timeout", username: "bob", seconds: 600, reason: "spam" }],
    ["／ｔｉｍｅｏｕｔ　＠ｂｏｂ　１０ｍ", { kind: "timeout", username: "bob", seconds: 600, reason: null }],
    ["/unban bob \u{e0000}", { kind: "unban", username: "bob" }],
    ["/un\u200bban\u2800bob", { kind: "unban", username: "bob" }],
    ["\u200b/unban @bob:\u034f", { kind: "unban", username: "bob" }],
    ["/untimeout bob", { kind: "untimeout", username: "bob" }],
    ["/mod bob", { kind: "mod", username: "bob" }],
    ["/unmod bob", { kind: "unmod", username: "bob" }],
    ["/vip bob", { kind: "vip", username: "bob" }],
    ["/unvip bob", { kind: "unvip", username: "bob" }],
    ["/clear", { kind: "clear" }],
    [`/delete ${id}`, { kind: "delete", uuid: id }],
    ["/slow", settings({ slow: 30 })],
    ["/slow 2m", settings({ slow: 120 })],
    ["/slowoff", settings({ slow: null })],
    ["/followers", settings({ followers_only: 0 })],
    ["/followers 10", settings({ followers_only: 10 })],
    ["/followers 1h", settings({ followers_only: 60 })],
    ["/followers 1.1h", settings({ followers_only: 66 })],
    ["/followers 1d", settings({ followers_only: 1_440 })],
    ["/followers 3mo", settings({ followers_only: 129_600 })],
    ["/followersoff", settings({ followers_only: null })],
    ["/emoteonly", settings({ emote_only: true })],
    ["/emoteonlyoff", settings({ emote_only: false })],
    ["/shield", settings({ shield_mode: true })],
    ["/shieldoff", settings({ shield_mode: false })],
    ["/uniquechat", settings({ unique_chat: true })],
    ["/uniquechatoff", settings({ unique_chat: false })],
    ["/r9kbeta", settings({ unique_chat: true })],
  ];
  for (const [text, command] of READ) {
    it(`is read: ${text.trim()}`, () => {
      expect(parseChatCommand(text, "/body/command")).deep.equal(command);
    });
  }

  const REFUSED: [string, RegExp][] = [
    ["hello", /must begin with one of \/ban \/unban/],
    ["/", /must begin with one of/],
    ["/dance", /must begin with one of/],
    ["/constructor", /must begin with one of/],
    ["/ban", /must be \/ban <user>/],
    ["/ban b@b", /must be \/ban <user>/],
    [`/ban bob ${"x".repeat(501)}`, /at most 500/],
    ["/unban bob now", /must be \/unban <user>/],
    ["/timeout bob 0", /1s..14d/],
    ["/timeout bob 15d", /1s..14d/],
    ["/timeout bob 10x", /1s..14d/],
    ["/timeout bob 1h 30", /1s..14d/],
    ["/timeout bob 30m1h", /1s..14d/],
    ["/timeout bob 1.5s", /1s..14d/],
    ["/slow 0", /1s..300s/],
    ["/slow 5m1s", /1s..300s/],
    ["/slow soon", /1s..300s/],
    ["/followers 30s", /0..90d/],
    ["/followers 91d", /0..90d/],
    ["/clear all", /must be \/clear/],
    ["/delete that", /id of a message/],
    ["/shield on", /must be \/shield/],
  ];
  for (const [text, expected] of REFUSED) {
    it(`is refused with what is expected: ${text.slice(0, 30)}`, () => {
      expect(problemOf(text)).match(expected);
    });
  }

  it("is read in linear time, however hostile", () => {
    const began = performance.now();
    for (const part of ["/", " ", "9", "@", "a ", "/ban "]) problemOf(`/timeout bob ${part.repeat(500_000)}`);
    expect(performance.now() - began).below(2_000);
  });

  it("needs the scopes of the operation that it stands for, beside those of commands", () => {
    const scopes = new Map(
      operationsOf(readOpenApi()).map(({ operation }) => [operation.operationId, operation["x-scopes"]]),
    );
    const scopesOf = (operationId: string) => {
      const needed = scopes.get(operationId);
      if (!Array.isArray(needed)) throw new Error(`${operationId} has no scopes`);
      return needed;
    };
    const names =
      problemOf("/nothing")
        .split("must begin with")[1]
        ?.match(/\/\w+(?=[ "])/g) ?? [];
    expect(names).length.above(20);
    for (const name of names) {
      const act = ACTS[name.slice(1)] ?? "updateChatSettings";
      const needed = new Set([...scopesOf("runChatCommand"), ...scopesOf(act)]);
      expect([...(scopesOfCommand(name) ?? [])].sort(), name).deep.equal([...needed].sort());
    }
  });
});
