import { readFileSync } from "node:fs";
import { expect } from "chai";
import { readAsyncApi } from "../../../contract/asyncapi-document.ts";
import { operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";

const script = readFileSync(new URL("../../../realtime/rooms/scripts/admit.lua", import.meta.url), "utf8");

/** Of the request, whatever it is for. */
const OF_ANY_REQUEST = new Set([
  ...["validation_failed", "auth_required", "invalid_token", "account_banned", "forbidden"],
  ...["insufficient_scope", "client_header_required", "payload_too_large", "unsupported_media_type"],
  ...["rate_limited", "unavailable", "internal"],
]);
const own = (codes: readonly string[]) =>
  [...new Set(codes)].filter((code) => !OF_ANY_REQUEST.has(code)).sort();

describe("what a message is refused with", () => {
  const operations = new Map(
    operationsOf(readOpenApi()).map(({ operation }) => [operation.operationId, operation]),
  );
  const doors = {
    sendChatMessage: operations.get("sendChatMessage")?.["x-errors"],
    announceInChat: operations.get("announceInChat")?.["x-errors"],
    sendBotMessage: operations.get("sendBotMessage")?.["x-errors"],
    "chat.send": readAsyncApi().components.messages["chat.send"]?.["x-errors"],
  };
  const decided = [...script.matchAll(/\bno\("(\w+)"|\{ "no", "(\w+)" \}/g)].map(
    ([, one, other]) => one ?? other ?? "",
  );

  for (const [door, promised = []] of Object.entries(doors)) {
    it(`is what admission and slash commands decide and nothing else, at ${door}`, () => {
      // An announcement that begins with a slash is refused, and never run.
      const runsCommands = door !== "announceInChat";
      const ofCommands = runsCommands ? (operations.get("runChatCommand")?.["x-errors"] ?? []) : [];
      // Of the room, of the message that is answered, and of the command that was sent as a message.
      expect(own(promised)).deep.equal(own([...decided, "not_found", ...ofCommands]));
    });
  }

  it("is given for each rule that there is", () => {
    expect(own(decided)).include.members([
      "banned",
      "blocked_term",
      "duplicate_message",
      "first_time_chatter",
    ]);
  });
});

describe("what a command is refused with", () => {
  const operations = new Map(
    operationsOf(readOpenApi()).map(({ operation }) => [operation.operationId, operation]),
  );
  const byRest = (operationId: string) => own(operations.get(operationId)?.["x-errors"] ?? []);
  const SAME = {
    "chat.command": "runChatCommand",
    "chat.delete": "deleteChatMessage",
    heartbeat: "heartbeat",
  };
  /** The operations that slash commands stand for. */
  const ACTS = [
    ...["banUser", "unbanUser", "timeoutUser", "untimeoutUser", "clearChat", "deleteChatMessage"],
    ...["addModerator", "removeModerator", "addVip", "removeVip", "updateChatSettings"],
  ];

  for (const [command, operationId] of Object.entries(SAME)) {
    it(`is the same at ${command} and ${operationId}`, () => {
      const bySocket = readAsyncApi().components.messages[command]?.["x-errors"] ?? [];
      expect(own(bySocket)).deep.equal(byRest(operationId));
    });
  }

  it("is what the acts behind slash commands are refused with", () => {
    const codes = ACTS.flatMap((operationId) => {
      expect(operations.has(operationId), operationId).equal(true);
      return byRest(operationId);
    });
    expect(byRest("runChatCommand")).deep.equal(own(codes));
  });
});
