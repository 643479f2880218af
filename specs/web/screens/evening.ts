import { processClock } from "../../../base/clock.ts";
import { createClient, type LivecoreClient } from "../../../clients/typescript/src/index.ts";
import type { ReceivedMail } from "../../../deploy/development/mail/received.ts";
import { eventually } from "../../support/eventually.ts";
import type { Service } from "../../support/service.ts";
import type { openStudio } from "../../support/studio.ts";

type Studio = Awaited<ReturnType<typeof openStudio>>;
export type Account = { id: string; username: string; client: LivecoreClient };

/** As signed-in.ts has it. */
const PASSWORD = "a long phrase for specs";
const LINES: [name: string, text: string][] = [
  ["ada", "good evening from Turin"],
  ["grace", "is that the new renderer?"],
  ["linus", "it compiles!"],
  ["margaret", "the tests are green as well, all of them"],
  ["ada", "<img src=x onerror=alert(1)> is text here, as it should be"],
  ["barbara", "how deep does it go?"],
  ["grace", "nobody knows, that's the beauty of it"],
  ["linus", "one more zoom and it's 64 bits"],
];
export const LAST_LINE = LINES.at(-1)?.[1] ?? "";
/** Live as well, beside the studio's channel. */
const GUESTS = ["margaret_h", "linus_t", "barbara_l"] as const;

/** Signs up, with a verified address. */
export async function enrol(service: Service, username: string): Promise<Account> {
  const client = createClient({ baseUrl: service.http, retry: { tries: 4, maxWaitMs: 15_000 } });
  const body = { username, email: `${username}@example.com`, password: PASSWORD };
  await client.call("register", { body });
  const token = await eventually(async () => {
    const { items } = (await (await fetch(`${service.internal}/mail.json`)).json()) as {
      items: ReceivedMail[];
    };
    const link = items.find(({ to }) => to.includes(body.email))?.text ?? "";
    const [, found] = /#token=([\w-]+)/.exec(link) ?? [];
    if (found === undefined) throw new Error("the mail with the link hasn't come yet");
    return found;
  });
  await client.call("verifyEmail", { body: { token } });
  const { id } = await client.call("getMe");
  return { id, username, client };
}

/** What the pictures show: people who talk, bet, redeem, follow and whisper in the evening of one channel. */
export async function openEvening(service: Service, { client: studio, streamId }: Studio) {
  const people = new Map<string, Account>();
  const of = async (username: string): Promise<Account> => {
    const account = people.get(username) ?? (await enrol(service, username));
    people.set(username, account);
    return account;
  };
  const path = { stream_id: streamId };
  const { id: channelId, username } = await studio.call("updateMe", {
    body: { username: "benoit_m", bio: "Fractals, slowly, and whatever you ask meanwhile." },
  });
  await studio.call("updateMyStream", {
    body: { name: "Zooming into the Mandelbrot set", tags: ["maths", "chill"] },
  });
  for (const [title, cost] of [
    ["Choose the colours", 300],
    ["Stop for a minute", 500],
    ["Name the next valley", 1_000],
  ] as const)
    await studio.call("createReward", { body: { title, cost } });
  await studio.call("createScheduleEntry", {
    body: { title: "Julia sets, all night", starts_at: nextEvening(), is_recurring: true },
  });

  const guests: { username: string; streamKey: string }[] = [];
  const titles = ["Rockets, slowly explained", "Kernel evening", "Types for supper"];
  for (const [index, username] of GUESTS.entries()) {
    const { client } = await of(username);
    const body = { name: titles[index] ?? "", tags: ["programming"] };
    const { stream_key: streamKey } = await client.call("updateMyStream", { body });
    guests.push({ username, streamKey: String(streamKey) });
  }
  for (const [name, content] of LINES) {
    const { client } = await of(GUESTS.find((guest) => guest.startsWith(name)) ?? `${name}_l`);
    await client.call("followUser", { path: { user_id: channelId } });
    await client.call("sendChatMessage", { path, body: { content } });
  }
  const viewer = await of("ada_l");
  for (const username of GUESTS) {
    const { id, client } = await of(username);
    await viewer.client.call("followUser", { path: { user_id: id } });
    await client.call("sendWhisper", {
      path: { user_id: viewer.id },
      body: { content: username === "linus_t" ? "Did you see the third valley?" : "See you on Friday!" },
    });
  }
  await viewer.client.call("sendWhisper", {
    path: { user_id: (await of("linus_t")).id },
    body: { content: "I did. Twice." },
  });
  const prediction = await studio.call("createPrediction", {
    path,
    body: {
      title: "Do we find a smaller copy?",
      outcomes: [{ title: "Yes, soon" }, { title: "Not tonight" }],
      duration_seconds: 600,
    },
  });
  const bets = [
    ["grace_l", 0, 50],
    ["linus_t", 0, 20],
    ["barbara_l", 1, 60],
  ] as const;
  for (const [name, outcome, amount] of bets) {
    const body = { outcome_id: prediction.outcomes[outcome]?.id ?? "", amount };
    await (await of(name)).client.call("placeBet", { path: { prediction_id: prediction.id }, body });
  }
  return { viewer, guests, username, of };
}

function nextEvening(): string {
  const day = new Date(processClock.now() + 2 * 86_400_000);
  day.setUTCHours(19, 0, 0, 0);
  return day.toISOString();
}
