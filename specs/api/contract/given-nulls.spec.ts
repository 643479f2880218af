import { expect } from "chai";
import { RESOURCES } from "../../../contract/coverage/inventory/resources.ts";
import { isObject, resolveRef } from "../../../contract/json.ts";
import { readOpenApi } from "../../../contract/openapi-document.ts";

/**
 * Fields of the interface's core (docs/interface.md) that may be null: no other field of it is ever null. Additions aren't
 * looked at.
 */
const NULLABLE: Record<string, string> = {
  UserSummary: "username_title image_url",
  User: "username_title email image_url banner_url bio",
  PublicProfile: "username_title image_url banner_url bio",
  Stream: "thumbnail_url category_id media_stream_id ingress_pull_url language",
  StreamSummary: "thumbnail_url",
  StreamCard: "thumbnail_url language",
  PlaybackSource: "live_since",
  Category: "cover_image",
  Video: "stream_id media_recording_id thumbnail_url published_at",
  ChatMessage: "reply_to_id reply_to_user",
  ChatModes: "slow followers_only",
  ChatBadge: "channel_id",
  UserBadge: "expires_at",
  AuthResult: "two_factor_token",
  ChannelSubscription: "renews_at cancelled_at",
  CheckoutSession: "checkout_url client_secret",
  Tip: "from_user message",
  ChannelReward: "description cooldown_seconds",
  Redemption: "user_input",
  ScheduleEntry: "category_id ends_at recurrence_weekday",
  PredictionOutcome: "color",
  Prediction: "locks_at resolved_outcome_id",
  ModerationAction: "target reason duration_seconds",
  Report: "reporter details",
};
/** Resources of which some see more. */
const MORE: Record<string, string> = {
  OwnerStream: "Stream",
  CreatedAPIToken: "APIToken",
  StaffUser: "User",
};

const document = readOpenApi();
const { schemas } = document.components;

const given = RESOURCES.map(({ name, fields }) => ({ schema: name, name, fields }));
const seenByFewer = Object.entries(MORE).flatMap(([schema, name]) =>
  given.filter((one) => one.name === name).map(({ fields }) => ({ schema, name, fields })),
);

function mayBeNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  if (typeof schema.$ref === "string") return mayBeNull(resolveRef(document, schema.$ref));
  const { type, oneOf = [], anyOf = [] } = schema;
  const either = [oneOf, anyOf].flatMap((parts) => (Array.isArray(parts) ? parts : []));
  return type === "null" || (Array.isArray(type) && type.includes("null")) || either.some(mayBeNull);
}

describe("fields of the interface's core", () => {
  for (const { schema, name, fields } of [...given, ...seenByFewer]) {
    const { properties, required = [] } = Object(schemas[schema]);
    if (!properties) continue;
    const nullable = (NULLABLE[name] ?? "").split(" ").filter((field) => field in properties);

    it(`of ${schema} are null where they may be, and absent otherwise`, () => {
      const own = fields.filter((field) => field in properties);
      expect(own.filter((field) => mayBeNull(properties[field]))).have.members(nullable);
      expect(required).include.members(nullable);
    });
  }
});
