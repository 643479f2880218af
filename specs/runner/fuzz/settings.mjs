// Settings for schemathesis about operations with rules that a schema can't express.
import { operations } from "./operations.mjs";

/** Operations where a valid request may get a 400, with the rule that the schema can't express. */
const BEYOND_SCHEMA = {
  register: "common passwords are refused",
  resetPassword: "common passwords are refused",
  updateMe: "a new e-mail address needs the password, a title may differ in case only",
  changePassword: "passwords that are guessed soon are refused",
  setSeoTags: "20 tags of one's own beside the known ones",
  setAvatar: "bytes that are no picture are refused",
  setBanner: "bytes that are no picture are refused",
  addChannelEmote: "bytes that are no picture are refused",
  addGlobalEmote: "bytes that are no picture are refused",
  addChannelBadge: "bytes that are no picture are refused",
  addGlobalBadge: "bytes that are no picture are refused",
  setCategoryCover: "bytes that are no picture are refused",
  createCategory: "tags have at most 25 characters in lower case, too",
  updateCategory: "tags have at most 25 characters in lower case, too",
  grantChannelBadge: "a grant ends in the future",
  grantGlobalBadge: "a grant ends in the future",
  listChatMessages: "one of before and after",
  createSupportRequest: "a takedown has fields of its own, and other requests have none of them",
  handleReport: "measures go with act, each once, and a chat ban alone has a time",
  handleAppeal: "either an action, or a decision with its note",
  addBlockedTerm: "words have something to be looked for, and an expression compiles",
  updateBlockedTerm: "words have something to be looked for, and an expression compiles",
  listSchedule: "to comes after from, by 92 days at most",
  createScheduleEntry: "a time zone has a name, an end is behind the start, days are those of the entry",
  updateScheduleEntry: "a time zone has a name, an end is behind the start, days are those of the entry",
  setNotificationPreferences: "quiet hours have both ends, and a time zone has a name",
  registerDevice: "a token that begins as JSON is a subscription to web push",
  updateDevice: "a token that begins as JSON is a subscription to web push",
  createClip: "a clip has a length, and ends within its broadcast",
  createTipCheckout: "tips are in the service's currency",
  billingHook: "a report is signed over its bytes",
  mediaHook: "a report is signed over its bytes",
  stripeHook: "Stripe alone can sign",
  startOauth: "return_to is one of a configured list",
  startOauthLink: "return_to is one of a configured list",
  signInWithOauth: "a code with what belongs to it, or a token with a name",
  linkProvider: "the redirect URI is one of a configured list",
  createApiToken: "a token expires in the future",
  createToken: "a token expires in the future",
  createInvitation: "an invitation expires in the future",
  runChatCommand: "a text is one of the commands, with what belongs to it",
  heartbeat: "anonymous callers need a device_id",
};

/** The 400 of operations that refuse only what the schema refuses. */
const BY_SCHEMA_ALONE = "#/components/responses/ValidationFailed";

/** The steps of a resource's life cycle: created, changed, used, read, deleted and read again. */
const STEPS = 8;

/**
 * `walks` go from what was made along the document's links. Those that schemathesis would find by names of fields are sixty
 * times as many and lead nearly all to what isn't there, so that walks by them make nothing and go nowhere.
 *
 * A schemathesis.toml: where a 400 is no rejection of good data, and where a redirect is an answer to it.
 */
export function settings(walks) {
  const unknown = Object.keys(BEYOND_SCHEMA).filter(
    (id) => !operations.some((one) => one.operationId === id),
  );
  if (unknown.length > 0) throw new Error(`There are no operations ${unknown.join(", ")}`);
  const isLoose = ({ operationId, responses }) =>
    operationId in BEYOND_SCHEMA || responses["400"]?.$ref !== BY_SCHEMA_ALONE;
  // If the name had changed, all operations could refuse anything.
  if (operations.every(isLoose)) throw new Error(`No operation answers ${BY_SCHEMA_ALONE}`);
  const byStatuses = new Map();
  for (const operation of operations) {
    const also = [
      ...(isLoose(operation) ? [400] : []),
      ...("302" in operation.responses ? [302] : []),
      // For bytes that aren't a picture.
      ...("x-body-bytes" in operation ? [415] : []),
    ];
    const statuses = ['"2xx"', ...also, 401, 403, 404, 409, 429].join(", ");
    if (also.length > 0)
      byStatuses.set(statuses, [...(byStatuses.get(statuses) ?? []), operation.operationId]);
  }
  // One section for all with the same statuses, since schemathesis goes through them several times for each request.
  const sections = [...byStatuses].map(([statuses, ids]) =>
    [
      "[[operations]]",
      `include-operation-id-regex = "^(${ids.join("|")})$"`,
      `checks.positive_data_acceptance.expected-statuses = [${statuses}]`,
    ].join("\n"),
  );
  const along = `[phases.stateful]\nmax-steps = ${STEPS}\ninference.algorithms = []\ngeneration = { mode = "positive", max-examples = ${walks} }`;
  return `${[along, ...sections].join("\n\n")}\n`;
}
