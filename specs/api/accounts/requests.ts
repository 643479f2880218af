import type { CallOptions } from "../../support/api.ts";
import { OTHERS_NOT_FOUND } from "../authorization/expectations.ts";
import { PASSWORD } from "../authorization/people.ts";
import type { ResourceRequests } from "../authorization/resource-requests.ts";

/** A wrong password: allowed callers get as far as its check, and the account stays for the others. */
const NOT_THEIRS = "not the password";
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = (): CallOptions => ({ body: PNG, headers: { "content-type": "image/png" } });
const DEVICE = { device_token: "a-phone-of-the-specs", device_type: "ios" } as const;

export const accountRequests: ResourceRequests = {
  endsSession: ["logout", "endSessions", "changePassword"],

  requests({ world, people }) {
    const { at, owner, user, target } = people;

    /** Not by REST, whose limit is ten an hour. */
    async function newToken() {
      const origin = { ip: "203.0.113.7", userAgent: null, requestId: "spec" };
      const [session] = await world.core.sessions.list(user.id);
      if (!session) throw new Error("only who is signed in makes tokens");
      const by = { userId: user.id, sessionId: session._id };
      return world.core.apiTokens.create({ name: "spec" }, by, origin);
    }

    return {
      values: {
        user_id: () => target.id,
        username: () => owner.username,
        session_id: () => people.anotherSession(user),
        token_id: async () => (await newToken()).doc._id,
        device_id: async () => (await user.api.ok("registerDevice", { body: DEVICE })).id,
      },
      prepared: {
        login: () => ({ body: { login: target.username, password: PASSWORD } }),
        deleteMe: () => ({ body: { password: NOT_THEIRS } }),
        setAvatar: picture,
        setBanner: picture,
        createChatToken: () => ({ body: { site: "fans.example", ...at } }),
      },
      ofCaller: {
        register: (caller) => ({
          body: {
            username: `new_${caller}`.slice(0, 25),
            email: `${caller}@example.org`,
            password: PASSWORD,
          },
        }),
      },
    };
  },

  expected: {
    endSession: OTHERS_NOT_FOUND,
    deleteApiToken: OTHERS_NOT_FOUND,
    deleteToken: OTHERS_NOT_FOUND,
    createApiToken: { staff: "forbidden" },
    createChatToken: { staff: "forbidden" },
    createToken: { staff: "forbidden" },
    updateDevice: OTHERS_NOT_FOUND,
    removeDevice: OTHERS_NOT_FOUND,
    // With a wrong password, so that the accounts still exist for the next operation.
    deleteMe: {
      user: "invalid_credentials",
      otherUser: "invalid_credentials",
      owner: "invalid_credentials",
      moderator: "invalid_credentials",
      otherChannelsModerator: "invalid_credentials",
      staff: "invalid_credentials",
    },
  },

  shown: {
    createApiToken: "in the caller's own channel or account",
    createToken: "in the caller's own channel or account",
    updateMe: "in the caller's own channel or account",
    setSeoTags: "in the caller's own channel or account",
    login: "nowhere",
    checkSignUp: "nowhere",
  },

  fields: {
    "register body.username": "a new name",
    "updateMe body.username": "a new name",
    "checkSignUp body.username": "a name that is only looked at",
    "createChatToken body.user_id": "the caller's own id",
    "createChatToken body.stream_id": {
      request: ({ streamId }) => ({
        body: { site: "fans.example", stream_id: streamId },
      }),
    },
  },
};
