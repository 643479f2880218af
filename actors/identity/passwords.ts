import { readFileSync } from "node:fs";
import { hash, type Options, verify } from "@node-rs/argon2";
import { ServiceError } from "../../specs/contract/errors.ts";
import { type Estimate, strength } from "./strength/strength.ts";

/** OWASP's first choice for argon2id (its default algorithm here): 19 MiB, two passes. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Hashes at a time in one process, and how many may wait: a flood of logins must leave the CPU to others. */
const AT_ONCE = 2;
const MAX_WAITING = 200;

/** Fewer different characters than this are guessed at once, whatever the length. */
const MIN_DISTINCT = 5;

/** What the decoy is made from; that somebody may type it doesn't matter, since no account has the decoy. */
const UNKNOWN_ACCOUNT = "a password that no account has";

function readCommonPasswords(): ReadonlySet<string> {
  const file: unknown = JSON.parse(readFileSync(new URL("./common-passwords.json", import.meta.url), "utf8"));
  if (typeof file !== "object" || file === null || !("passwords" in file)) {
    throw new Error("common-passwords.json has no list.");
  }
  return new Set(String(file.passwords).split(" "));
}

const commonPasswords = readCommonPasswords();

/** Of zxcvbn's 0 to 4: from here on a guesser with the hashes needs years. */
const LEAST_SCORE = 3;

/** Whose password it is to be. */
type Of = { username: string; email: string };

/** What attackers try first, which zxcvbn doesn't know all of: it takes "3rjs1la2qe" of the list for a good one. */
function isTriedFirst(password: string, account: Of): boolean {
  const lower = password.toLowerCase();
  return (
    commonPasswords.has(lower) || new Set(lower).size < MIN_DISTINCT || ownWordsOf(account).includes(lower)
  );
}

function ownWordsOf({ username, email }: Of): string[] {
  const [mailbox = "", host = ""] = email.toLowerCase().split("@");
  return [username.toLowerCase(), email.toLowerCase(), mailbox, host, "livecore"];
}

export type PasswordLimits = { cost?: Options; mostWaiting?: number; estimate?: Estimate };

/**
 * Argon2id with a bounded queue; a full one answers `rate_limited` with an honest time to wait, for every caller.
 * Use it after `start`.
 */
export function createPasswords({
  cost = COST,
  mostWaiting = MAX_WAITING,
  estimate = strength.estimate,
}: PasswordLimits = {}) {
  const waiting: (() => void)[] = [];
  let running = 0;
  /** A moving average, for the time to wait that a full queue answers. */
  let averageMs = 20;
  /** Looked at instead of an account that isn't there, so that it takes as long as a wrong password. */
  let decoy: string | null = null;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (waiting.length >= mostWaiting) {
        const retryAfterMs = Math.ceil((averageMs * waiting.length) / AT_ONCE);
        throw new ServiceError("rate_limited", { bucket: "passwords", retry_after_ms: retryAfterMs });
      }
      // One that ends hands its place over, so `running` already counts the one that wakes up here.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      averageMs = averageMs * 0.9 + (performance.now() - startedAt) * 0.1;
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  }

  // NFKC, so that the same characters typed on another keyboard are the same password.
  const hashOf = (password: string) => inTurn(() => hash(password.normalize("NFKC"), cost));

  return {
    /** Makes the decoy, outside the queue: nothing that comes from outside may decide whether it is there. */
    async start(): Promise<void> {
      decoy = await hash(UNKNOWN_ACCOUNT, cost);
    },
    hash: hashOf,
    /**
     * Refuses what is guessed too soon, by `validation_failed` of that part of the request. Length and form are the contract's.
     * `place`: of those with the same one is estimated at a time, others are `rate_limited`.
     */
    async requireStrong(
      password: string,
      account: Of,
      { path = "/body/password", place }: { path?: string; place?: string } = {},
    ): Promise<void> {
      const typed = password.normalize("NFKC");
      const isGuessable =
        isTriedFirst(typed, account) || (await estimate(typed, ownWordsOf(account), place)) < LEAST_SCORE;
      if (!isGuessable) return;
      throw new ServiceError("validation_failed", {
        errors: [{ path, rule: "common_password", message: "is too easy to guess" }],
      });
    },
    /** Takes as long for an unknown account (null) as for a wrong password, and says no. */
    async matches(passwordHash: string | null, password: string): Promise<boolean> {
      const stored = passwordHash ?? decoy;
      if (stored === null) throw new Error("Passwords are looked at before they were started.");
      const matches = await inTurn(() => verify(stored, password.normalize("NFKC")));
      return matches && passwordHash !== null;
    },
  };
}

export type Passwords = ReturnType<typeof createPasswords>;
