import { parseArgs } from "node:util";

export type DemoOptions = {
  viewers: number;
  rate: number;
  seed: number;
  url: string | null;
  kill: boolean;
  media: boolean;
  stay: boolean;
};

/** A room takes 20 lines in 30 s of each chatter, and one a second: at this rate it refuses hardly any. */
const LINES_A_CHATTER = 0.4;
const MAX_RATE = 20;

/** Chat lines a second for so many viewers, of whom every fifth has no account. */
export function rateFor(viewers: number): number {
  const chatters = viewers - Math.floor(viewers / 5);
  return Math.max(1, Math.min(MAX_RATE, Math.floor(chatters * LINES_A_CHATTER)));
}

export const USAGE = `Usage: npm run demo -- [--viewers N] [--rate N] [--seed N] [--url http://host:port] [--kill] [--media]
       npm run demo -- --stay [--url http://host:port]

  --viewers  how many people come (2..5000, default 300); every fifth stays anonymous
  --rate     chat messages a second in all (1..1000, default: by the viewers, 20 at most)
  --seed     makes the same evening again (default: a new one, printed)
  --url      the service, default http://127.0.0.1:$PORT
  --kill     kills one of its realtime workers in the middle of the chat; only on this machine
  --media    both channels publish a real picture; the service runs by npm run media
  --stay     instead: one channel that stays live, with chatters, until Ctrl-C; prints how to sign in as its creator
`;

export class ArgumentError extends Error {}

/** Parses the command line; throws an ArgumentError when an argument is unknown or its value is invalid. */
export function parseOptions(argv: string[]): DemoOptions {
  const { values } = parsed(argv);
  const number = (name: string, value: string, min: number, max: number) => {
    const parsed = Number(value);
    if (Number.isInteger(parsed) && parsed >= min && parsed <= max) return parsed;
    throw new ArgumentError(`--${name} must be an integer from ${min} to ${max}.`);
  };
  const viewers = number("viewers", values.viewers, 2, 5_000);
  return {
    viewers,
    rate: values.rate === undefined ? rateFor(viewers) : number("rate", values.rate, 1, 1_000),
    seed: values.seed === undefined ? Date.now() % 1_000_000 : number("seed", values.seed, 0, 2 ** 31),
    url: values.url ?? null,
    kill: values.kill,
    media: values.media,
    stay: values.stay,
  };
}

function parsed(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      options: {
        viewers: { type: "string", default: "300" },
        rate: { type: "string" },
        seed: { type: "string" },
        url: { type: "string" },
        kill: { type: "boolean", default: false },
        media: { type: "boolean", default: false },
        stay: { type: "boolean", default: false },
      },
    });
  } catch (err) {
    // `parseArgs` names the argument.
    throw new ArgumentError(err instanceof Error ? err.message : String(err), { cause: err });
  }
}
