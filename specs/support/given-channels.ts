import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { FIRST_PICTURE_MS } from "../../actors/live/live-stream/machine.ts";
import type { Answer, Api, Success } from "./api.ts";
import type { MovableClock } from "./clock.ts";
import { eventually } from "./eventually.ts";
import { type Authenticator, signInAgain } from "./two-factor.ts";

/** A user with an account, and a client signed in as that user. */
export type Person = {
  id: string;
  username: string;
  token: string;
  api: Api;
  /** Only of users with two factors. */
  authenticator?: Authenticator;
};

/** A channel: its owner, the stream as the owner sees it, and the path parameters of the stream. */
/** As its owner's sessions get it: personal tokens don't get the key. */
type OwnStream = Success<"getMyStream"> & { stream_key: string };
export type Channel = { owner: Person; stream: OwnStream; at: { stream_id: string } };

/** Throws without the key. */
export function withKey(stream: Success<"getMyStream">): OwnStream {
  const { stream_key } = stream;
  if (stream_key === undefined) throw new Error("the answer has no stream key");
  return { ...stream, stream_key };
}

type HookOptions = { key: string; clientId?: string; append?: string; query?: Record<string, string> };

/** A world, which may not be open yet. */
type Where = { api: Api; clock: MovableClock; ingestKey: string };

/** Calls of nginx-rtmp, and the operation that takes each. */
const HOOKS = {
  publish: "ingestPublish",
  publish_done: "ingestPublishDone",
  update_publish: "ingestUpdate",
  update_play: "ingestUpdate",
} as const;

const PASSWORD = "a long phrase for specs";
const TRIES = 5;

/** Fixtures made through the public API; each has unique names, so that specs don't interfere. */
export function givenChannels(where: Where) {
  /** Calls it again while the service is too busy, as it is now and then beside other specs. */
  async function patiently(call: () => Promise<Answer>): Promise<Answer> {
    for (let left = TRIES; ; left--) {
      const answer = await call();
      if (answer.code !== "unavailable" || left <= 1) return answer;
      await pause(Number(answer.details.retry_after_ms));
    }
  }

  async function user(): Promise<Person> {
    const bearer = where.api.with({ "x-auth-mode": "bearer" });
    let username = "";
    const answer = await patiently(() => {
      // Each time another name: the account may have been made.
      username = `u_${randomBytes(8).toString("hex")}`;
      const body = { username, email: `${username}@example.com`, password: PASSWORD };
      return bearer.call("register", { body });
    });
    const { user, access_token: token = "" } = bearer.bodyOf("register", answer);
    if (!user) throw new Error("a new account is signed in at once");
    return { id: user.id, username, token, api: where.api.as({ token }) };
  }

  async function signedInAgain(person: Person): Promise<Person> {
    const { username: login, authenticator } = person;
    const token = await signInAgain(where.api, { login, password: PASSWORD }, authenticator);
    return { ...person, token, api: where.api.as({ token }) };
  }

  async function channel(): Promise<Channel> {
    const owner = await user();
    const stream = withKey(await owner.api.ok("getMyStream"));
    return { owner, stream, at: { stream_id: stream.id } };
  }

  /** Posts nginx-rtmp's form; `append` is what the publisher added to its own URL. */
  function hook(call: keyof typeof HOOKS, options: HookOptions): Promise<Answer> {
    const { key, clientId = "1", append = "", query = {} } = options;
    const body = `app=ingest&flashver=&swfurl=&tcurl=&pageurl=&addr=127.0.0.1&clientid=${clientId}&call=${call}&name=${key}${append}`;
    return where.api.call(HOOKS[call], {
      body,
      query,
      headers: { "x-system-key": where.ingestKey, "content-type": "application/x-www-form-urlencoded" },
    });
  }

  /** Only for idempotent operations. */
  async function done(
    { api }: Person,
    operation: "addModerator" | "addVip" | "followUser",
    params: Record<string, string>,
  ): Promise<void> {
    api.bodyOf(operation, await patiently(() => api.call(operation, { params })));
  }

  /** Starts a broadcast and moves the clock past the delay until it is live. */
  async function goLive({ owner, stream, at }: Channel, clientId = "1"): Promise<void> {
    await hook("publish", { key: stream.stream_key, clientId });
    where.clock.move(FIRST_PICTURE_MS);
    await eventually(async () => (await owner.api.ok("getStream", { params: at })).is_live, {
      what: "the stream goes live",
    });
  }

  return {
    user,
    /** The same person with a new access token, for when the clock has moved past the old one's expiry. */
    signedInAgain,
    channel,
    hook,
    goLive,
    async liveChannel(): Promise<Channel> {
      const made = await channel();
      await goLive(made);
      return made;
    },
    async moderatorOf({ owner, at }: Channel): Promise<Person> {
      const person = await user();
      await done(owner, "addModerator", { ...at, user_id: person.id });
      return person;
    },
    async vipOf({ owner, at }: Channel): Promise<Person> {
      const person = await user();
      await done(owner, "addVip", { ...at, user_id: person.id });
      return person;
    },
    /** A follower, with the 300 points of a first follow. */
    async followerOf({ owner }: Channel): Promise<Person> {
      const person = await user();
      await done(person, "followUser", { user_id: owner.id });
      return person;
    },
  };
}

export type Given = ReturnType<typeof givenChannels>;
