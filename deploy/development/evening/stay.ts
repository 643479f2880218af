import { randomInt } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createClient, type LivecoreClient, LivecoreError } from "../../../clients/typescript/src/index.ts";
import { type Broadcaster, broadcasterAt } from "../home/broadcaster.ts";
import { makePrivate } from "../home/home.ts";
import { type KeptAccount, keptAccount } from "../home/kept-account.ts";
import { nginxRtmpFields } from "./nginx-rtmp-fields.ts";
import { lineAt } from "./small-talk.ts";

const CHATTERS = ["mira", "tomek", "ines", "obi", "yuki", "lars"];
/** For so long the service waits for a publisher that reported nothing more, as after a crash. */
const GIVEN_UP_MS = 35_000;
const LIVE_WITHIN_MS = 30_000;
/** nginx-rtmp reports its publishers as often. Without reports the broadcast of a killed service would stay live. */
const REPORT_MS = 10_000;
const BEAT_MS = 25_000;
/** Between two lines of all chatters together. */
const LINE_MS = { least: 2_500, most: 7_000 };
/** So many failures in a row mean that the service has gone. */
const MAX_FAILURES = 10;

export type Staying = {
  username: string;
  password: string;
  streamId: string;
  /** Resolves with the reason when it is over; it ends by `stop`, when its owner ends the broadcast, or without the service. */
  over: Promise<string>;
  stop(): Promise<void>;
};

type Options = {
  baseUrl: string;
  ingestKey: string;
  /** Keeps the accounts' credentials, so that each start has the same. */
  folder: string;
  /** Tells what it waits for. */
  progress: (line: string) => void;
  signal?: AbortSignal;
};

/**
 * Begins the demo evening: a channel that is live, with chatters, until it is stopped. Everything goes through the public interface; it
 * publishes by the hooks of an RTMP server. Rejects when the channel is live already, or doesn't go live in time.
 */
export async function beginToStay(options: Options): Promise<Staying> {
  const { baseUrl, folder, progress } = options;
  makePrivate(folder);
  const visitor = createClient({ baseUrl });
  progress("signing in the creator and six chatters");
  const creator = await broadcasterAt(baseUrl, { file: join(folder, "creator.json"), prefix: "evening" });
  await dress(creator);
  const { id: user_id } = await creator.client.call("getMe");
  const chatters = await Promise.all(
    CHATTERS.map(async (name) => {
      const chatter = await keptAccount(baseUrl, { file: join(folder, `${name}.json`), prefix: name });
      await chatter.client.call("followUser", { path: { user_id } });
      return chatter;
    }),
  );
  options.signal?.throwIfAborted();
  const ingest = ingestOf(visitor, creator, options.ingestKey);
  await publish(ingest.publish, options);
  progress(`waiting for the channel to go live: ${LIVE_WITHIN_MS / 1_000} s at most`);
  await untilLive(visitor, creator.streamId, options.signal);
  return stay({ creator, chatters, ingest });
}

async function dress({ client }: Broadcaster): Promise<void> {
  const category = await client.attempt("getCategory", { path: { category_id: "just-chatting" } });
  const tags = ["demo", "testcard"];
  await client.call("updateMyStream", {
    body: {
      name: "The demo evening",
      language: "en",
      tags,
      ...(category.ok ? { category_id: category.data.id } : {}),
    },
  });
  await client.call("updateMe", {
    body: { bio: "A test card and six regulars. It stays until the service ends." },
  });
}

function ingestOf(visitor: LivecoreClient, { streamKey }: Broadcaster, ingestKey: string) {
  const headers = { "x-system-key": ingestKey };
  // Another one each time: a second evening on the same channel is refused.
  const fields = nginxRtmpFields({ streamKey, publisherId: randomInt(1, 2 ** 31) });
  return {
    publish: () => visitor.call("ingestPublish", { headers, body: { ...fields, call: "publish" } }),
    update: () => visitor.call("ingestUpdate", { headers, body: { ...fields, call: "update_publish" } }),
  };
}

/** Throws `publisher_connected` when another one publishes to the channel. */
async function publish(attempt: () => Promise<unknown>, { progress, signal }: Options): Promise<void> {
  const deadline = performance.now() + GIVEN_UP_MS;
  for (;;) {
    try {
      await attempt();
      return;
    } catch (err) {
      const isTaken = err instanceof LivecoreError && err.code === "publisher_connected";
      if (!isTaken || performance.now() > deadline) throw err;
      progress(`waiting for an earlier publisher to be given up: ${GIVEN_UP_MS / 1_000} s at most`);
      await pause(3_000, undefined, signal ? { signal } : {});
    }
  }
}

async function untilLive(visitor: LivecoreClient, streamId: string, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + LIVE_WITHIN_MS;
  while (!(await visitor.call("getStream", { path: { stream_id: streamId } })).is_live) {
    if (performance.now() > deadline) throw new Error("The channel did not go live in time.");
    await pause(250, undefined, signal ? { signal } : {});
  }
}

type Cast = { creator: Broadcaster; chatters: KeptAccount[]; ingest: ReturnType<typeof ingestOf> };

function stay({ creator, chatters, ingest }: Cast): Staying {
  const stopped = new AbortController();
  const { signal } = stopped;
  const { username, password, streamId } = creator;
  let failures = 0;
  let isOver = false;
  let end: (reason: string) => void = () => undefined;
  const over = new Promise<string>((resolve) => {
    end = (reason) => {
      isOver = true;
      stopped.abort();
      resolve(reason);
    };
  });

  /** Repeats `act` until the end; refusals are nothing to a person, and the service may be away for a moment. */
  async function repeat(act: (turn: number) => Promise<unknown>, nextMs: () => number): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      try {
        await act(turn);
        failures = 0;
      } catch (err) {
        if (err instanceof LivecoreError && err.code === "not_found") return end("its broadcast was ended");
        failures += 1;
        if (failures >= MAX_FAILURES) return end("the service doesn't answer any more");
      }
      await pause(nextMs(), undefined, { signal }).catch(() => undefined);
    }
  }

  const talk = (turn: number) => {
    const chatter = chatters[turn % chatters.length];
    const body = { content: lineAt(turn) };
    return (
      chatter?.client.call("sendChatMessage", { path: { stream_id: streamId }, body }) ?? Promise.resolve()
    );
  };
  const beat = () =>
    Promise.all(chatters.map(({ client }) => client.call("heartbeat", { body: { stream_id: streamId } })));
  const running = Promise.all([
    repeat(talk, () => randomInt(LINE_MS.least, LINE_MS.most)),
    repeat(beat, () => BEAT_MS),
    repeat(ingest.update, () => REPORT_MS),
  ]);

  return {
    username,
    password,
    streamId,
    over,
    async stop() {
      if (isOver) return;
      end("it was stopped");
      await running;
      // At once; a lost publisher would have a minute and a half to come back.
      await creator.client.attempt("endBroadcast", { path: { stream_id: streamId } });
    },
  };
}
