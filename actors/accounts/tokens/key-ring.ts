import { type CryptoKey, errors, importJWK, type JWK } from "jose";
import { type Audit, OPERATOR } from "../../../base/audit.ts";
import type { Clock } from "../../../base/clock.ts";
import { DAY_MS } from "../../../base/durations.ts";
import type { Log } from "../../../base/log.ts";
import { createOutageLog } from "../../../base/outage-log.ts";
import type { JsonWebKeySet } from "../../../contract/wire.ts";
import type { SigningKeyDoc, SigningKeys } from "../../../store/mongo/accounts/signing-keys.ts";
import type { Sealing } from "../../keys/sealing.ts";
import { endOf, newSigningKey, periodAt, RELOAD_MS, signingKeyContext } from "./signing-keys.ts";

/**
 * The keys that sign access tokens:
 * 1. One key signs during one period of 30 days; every process computes the period from the clock alone.
 * 2. The next key is created a day ahead, so that each process and each reader of the JWKS knows it before it signs.
 * 3. A key verifies until an hour after its period, which is longer than any token it signed lasts.
 * 4. Each process reloads the keys once a minute, and on an unknown `kid` at most once in five seconds.
 * 5. An operator may create another key for a period that has begun (`signing-keys.ts`): the newest one signs.
 */
const AHEAD_MS = DAY_MS;
const COOL_DOWN_MS = 5_000;

type HeldKey = {
  kid: string;
  period: number;
  expiresAt: number;
  /** Unix ms; 0 unless an operator created the key. */
  signsFrom: number;
  publicKey: CryptoKey;
  publicX: string;
  privateJwk: JWK;
};

function isJwk(value: unknown): value is JWK {
  return typeof value === "object" && value !== null && "kty" in value && "d" in value;
}

export function createKeyRing(deps: {
  keys: SigningKeys;
  sealing: Sealing;
  clock: Clock;
  log: Log;
  audit: Audit;
}) {
  const { keys, sealing, clock, log, audit } = deps;
  let keysByKid = new Map<string, HeldKey>();
  let loading: Promise<void> | null = null;
  /** When an unknown `kid` last caused a reload. Anybody can send one, so reloads are throttled. */
  let missedAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  const outage = createOutageLog(log, "signing keys");

  async function makeKey(period: number): Promise<void> {
    const now = new Date(clock.now());
    const key = await newSigningKey({ period, createdAt: now, expiresAt: endOf(period) }, sealing);
    const isOurs = await keys.addUnlessThere(key);
    if (isOurs) audit("signing_key.rotated", OPERATOR, { kid: key._id, period });
  }

  async function open(doc: SigningKeyDoc): Promise<HeldKey> {
    const known = keysByKid.get(doc._id);
    if (known) return { ...known, expiresAt: doc.expiresAt.getTime() };
    const privateJwk: unknown = JSON.parse(sealing.unseal(doc.privateSealed, signingKeyContext(doc._id)));
    if (!isJwk(privateJwk)) throw new Error("A signing key in MongoDB has an unknown form.");
    const publicKey = await importJWK({ kty: "OKP", crv: "Ed25519", x: doc.publicX }, "EdDSA");
    if (publicKey instanceof Uint8Array) throw new Error("A signing key in MongoDB is not a public key.");
    const { period, publicX, expiresAt, signsFrom } = doc;
    const times = { expiresAt: expiresAt.getTime(), signsFrom: signsFrom?.getTime() ?? 0 };
    return { kid: doc._id, period, ...times, publicKey, publicX, privateJwk };
  }

  async function load(): Promise<void> {
    const now = clock.now();
    const wanted = [...new Set([periodAt(now), periodAt(now + AHEAD_MS)])];
    let docs = await keys.usable(new Date(now));
    const missing = wanted.filter((period) => !docs.some((doc) => doc.period === period));
    if (missing.length > 0) {
      await Promise.all(missing.map(makeKey));
      docs = await keys.usable(new Date(now));
    }
    const opened = await Promise.all(docs.map(open));
    keysByKid = new Map(opened.map((key) => [key.kid, key]));
  }

  /** Reloads the keys, single flight. */
  function reload(): Promise<void> {
    loading ??= load().finally(() => {
      loading = null;
    });
    return loading;
  }

  function current(): HeldKey | undefined {
    const now = clock.now();
    const period = periodAt(now);
    // Ordered by creation: the newest one signs.
    return [...keysByKid.values()].findLast((key) => key.period === period && key.signsFrom <= now);
  }

  return {
    async signing(): Promise<{ kid: string; privateJwk: JWK }> {
      if (!current()) await reload();
      const key = current();
      if (!key) throw new Error("There is no key to sign access tokens with.");
      return key;
    },

    /** The public key of that id; throws jose's JWKSNoMatchingKey when the key is unknown or has expired. */
    async verifying(kid: string | undefined): Promise<CryptoKey> {
      if (kid === undefined) throw new errors.JWKSNoMatchingKey();
      if (!keysByKid.has(kid) && performance.now() - missedAt > COOL_DOWN_MS) {
        missedAt = performance.now();
        await reload();
      }
      const key = keysByKid.get(kid);
      if (!key || key.expiresAt <= clock.now()) throw new errors.JWKSNoMatchingKey();
      return key.publicKey;
    },

    jwks: (): JsonWebKeySet => ({
      keys: [...keysByKid.values()].map(({ kid, publicX }) => ({
        kty: "OKP",
        crv: "Ed25519",
        alg: "EdDSA",
        use: "sig",
        kid,
        x: publicX,
      })),
    }),

    reload,

    /** Rejects when MASTER_KEY can't decrypt the stored keys. */
    async start(): Promise<void> {
      try {
        await reload();
      } catch (err) {
        if (!(err instanceof Error) || !/authenticate/.test(err.message)) throw err;
        throw new Error(
          "MASTER_KEY isn't the one that sealed the signing keys in this database, nor is one of MASTER_KEY_OLD.",
          {
            cause: err,
          },
        );
      }
      timer = setInterval(() => {
        reload().then(outage.succeeded, outage.failed);
      }, RELOAD_MS);
      timer.unref();
    },

    stop(): void {
      if (timer) clearInterval(timer);
      timer = null;
    },
  };
}

export type KeyRing = ReturnType<typeof createKeyRing>;
