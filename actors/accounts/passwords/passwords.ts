import { readFileSync } from "node:fs";
import { hash, type Options, verify } from "@node-rs/argon2";
import { invalid, ServiceError } from "../../../contract/errors.ts";
import { type Estimate, type Place, strength } from "./strength/strength.ts";

/** OWASP's first recommendation for argon2id (this library's default algorithm): 19 MiB, two passes. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Concurrent hashes per process, and how many may wait: a flood of logins must leave CPU for other requests. */
const AT_ONCE = 2;
const MAX_WAITING = 200;

/** A password with fewer distinct characters is too easy to guess, whatever its length. */
const MIN_DISTINCT = 5;

/** The decoy's password. It may be public, since no account uses the decoy hash. */
const UNKNOWN_ACCOUNT = "a password that no account has";

function readCommonPasswords(): ReadonlySet<string> {
  const file: unknown = JSON.parse(readFileSync(new URL("./common-passwords.json", import.meta.url), "utf8"));
  if (typeof file !== "object" || file === null || !("passwords" in file)) {
    throw new Error("common-passwords.json has no list.");
  }
  return new Set(String(file.passwords).split(" "));
}

const commonPasswords = readCommonPasswords();

/** Of zxcvbn's 0 to 4: from this score on, an attacker who has the hashes needs years. */
const MIN_SCORE = 3;

/** The account that the password is for. */
type PasswordOwner = { username: string; email: string };

/** Why a password is too easy to guess. */
export type PasswordFault = "common" | "few_characters" | "own_words" | "guessable";

/** Of passwords that attackers try first. zxcvbn doesn't know all of them: it rates "3rjs1la2qe" of the list as strong. */
function faultOf(password: string, account: PasswordOwner): PasswordFault | null {
  const lower = password.toLowerCase();
  if (commonPasswords.has(lower)) return "common";
  if (new Set(lower).size < MIN_DISTINCT) return "few_characters";
  return ownWordsOf(account).includes(lower) ? "own_words" : null;
}

function ownWordsOf({ username, email }: PasswordOwner): string[] {
  const [mailbox = "", host = ""] = email.toLowerCase().split("@");
  return [username.toLowerCase(), email.toLowerCase(), mailbox, host, "livecore"].filter(
    (word) => word !== "",
  );
}

export type PasswordLimits = { cost?: Options; mostWaiting?: number; estimate?: Estimate };

/**
 * Argon2id with a bounded queue. When the queue is full, every caller gets `rate_limited` with an estimated waiting time.
 * Use it after `start`.
 */
export function createPasswords({
  cost = COST,
  mostWaiting = MAX_WAITING,
  estimate = strength.estimate,
}: PasswordLimits = {}) {
  const waiting: (() => void)[] = [];
  let running = 0;
  /** Moving average of a hash's duration, for `retry_after_ms` when the queue is full. */
  let averageMs = 20;
  /** Verified for an unknown account, so that this takes as long as a wrong password. */
  let decoy: string | null = null;

  async function queued<T>(work: () => Promise<T>): Promise<T> {
    if (running >= AT_ONCE) {
      if (waiting.length >= mostWaiting) {
        const retryAfterMs = Math.ceil((averageMs * waiting.length) / AT_ONCE);
        throw new ServiceError("rate_limited", { bucket: "passwords", retry_after_ms: retryAfterMs });
      }
      // The one that ends passes its slot on, so `running` already counts the one that wakes up here.
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
  const hashOf = (password: string) => queued(() => hash(password.normalize("NFKC"), cost));

  /** The score is zxcvbn's, 0 to 4, and 0 without an estimate for what attackers try first. */
  async function assess(
    password: string,
    account: PasswordOwner,
    place?: Place,
  ): Promise<{ score: number; fault: PasswordFault | null }> {
    const typed = password.normalize("NFKC");
    const fault = faultOf(typed, account);
    if (fault) return { score: 0, fault };
    const score = await estimate(typed, ownWordsOf(account), place);
    return { score, fault: score < MIN_SCORE ? "guessable" : null };
  }

  return {
    /** Creates the decoy outside the queue, so that client load can't prevent it. */
    async start(): Promise<void> {
      decoy = await hash(UNKNOWN_ACCOUNT, cost);
    },
    hash: hashOf,
    assess,
    /**
     * Refuses passwords that are too easy to guess, by `validation_failed` at `path`. The contract checks length and form.
     * `place`: only one estimate at a time runs per place; others are `rate_limited`.
     */
    async requireStrong(
      password: string,
      account: PasswordOwner,
      { path = "/body/password", place }: { path?: string; place?: string } = {},
    ): Promise<void> {
      const { fault } = await assess(password, account, place);
      if (fault === null) return;
      throw invalid({ path, rule: "common_password", message: "is too easy to guess" });
    },
    /** For an unknown account (null), returns false after the same time as for a wrong password. */
    async matches(passwordHash: string | null, password: string): Promise<boolean> {
      const stored = passwordHash ?? decoy;
      if (stored === null) throw new Error("Passwords are looked at before they were started.");
      const matches = await queued(() => verify(stored, password.normalize("NFKC")));
      return matches && passwordHash !== null;
    },
  };
}

export type Passwords = ReturnType<typeof createPasswords>;
