import { expect } from "chai";
import { isObject, type JsonObject, resolveRef } from "../../../contract/json.ts";
import { type Operation, operationsOf, readOpenApi } from "../../../contract/openapi-document.ts";
import { TEXT_PATTERNS } from "../../../contract/text-patterns.ts";

/** Where a text that somebody without a role in the channel may send is shown. */
const SHOWN: Record<
  string,
  "in a room" | "in the caller's own channel or account" | "to its recipient alone" | "nowhere"
> = {
  createApiToken: "in the caller's own channel or account",
  createToken: "in the caller's own channel or account",
  createReward: "in the caller's own channel or account",
  createScheduleEntry: "in the caller's own channel or account",
  updateScheduleEntry: "in the caller's own channel or account",
  updateMe: "in the caller's own channel or account",
  updateMyStream: "in the caller's own channel or account",
  setSeoTags: "in the caller's own channel or account",
  // Codes, ids, and names of devices and providers.
  disableTwoFactor: "nowhere",
  finishLogin: "nowhere",
  forwardOauthPost: "nowhere",
  heartbeat: "nowhere",
  linkProvider: "nowhere",
  login: "nowhere",
  placeBet: "nowhere",
  renewRecoveryCodes: "nowhere",
  signInWithOauth: "nowhere",
  startOauthLink: "nowhere",
  stepUp: "nowhere",
  voteInPoll: "nowhere",
  createReport: "to its recipient alone",
  createAppeal: "to its recipient alone",
  createSupportRequest: "to its recipient alone",
  sendWhisper: "to its recipient alone",
  sendChatMessage: "in a room",
  sendBotMessage: "in a room",
  createTipCheckout: "in a room",
  redeemReward: "in a room",
  createRaid: "in a room",
  createClip: "in a room",
  updateClip: "in a room",
};

const WRITTEN: readonly unknown[] = [
  TEXT_PATTERNS.line,
  TEXT_PATTERNS.lines,
  TEXT_PATTERNS.visible,
  TEXT_PATTERNS["visible-lines"],
  TEXT_PATTERNS.spoken,
];

describe("operations that accept a text from callers without a role in the channel", () => {
  const document = readOpenApi();
  const followed = (node: JsonObject): JsonObject =>
    typeof node.$ref === "string" ? resolveRef(document, node.$ref) : node;

  function hasText(node: unknown): boolean {
    if (Array.isArray(node)) return node.some(hasText);
    if (!isObject(node)) return false;
    const schema = followed(node);
    return WRITTEN.includes(schema.pattern) || Object.values(schema).some(hasText);
  }
  function isOpen({ "x-access": { who, channel, or } }: Operation): boolean {
    const needsRole = channel !== undefined && or === undefined;
    return (who === "session" || who === "optional" || who === "anonymous") && !needsRole;
  }
  const found = operationsOf(document)
    .map(({ operation }) => operation)
    .filter((operation) => isOpen(operation) && hasText(operation.requestBody));

  it("has an entry for every operation that says where its text is shown", () => {
    expect(found.map(({ operationId }) => operationId).sort()).deep.equal(Object.keys(SHOWN).sort());
  });

  it("declares blocked_term where a room or its channel shows the text", () => {
    for (const { operationId, "x-errors": errors } of found)
      if (SHOWN[operationId] === "in a room") expect(errors, operationId).include("blocked_term");
  });
});
