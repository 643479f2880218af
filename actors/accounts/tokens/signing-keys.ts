import { exportJWK, generateKeyPair } from "jose";
import { type Audit, OPERATOR } from "../../../base/audit.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../base/durations.ts";
import { newId } from "../../../base/ids.ts";
import type { SigningKeyDoc, SigningKeys } from "../../../store/mongo/accounts/signing-keys.ts";
import type { Sealing } from "../../keys/sealing.ts";

const PERIOD_MS = 30 * DAY_MS;
/** Longer than the lifetime of any token that a key signs. */
const OVERLAP_MS = HOUR_MS;
/** How often each process reloads the keys. */
export const RELOAD_MS = MINUTE_MS;
/** Delay until a manually created key signs, so that every process knows it by then. */
const LEAD_MS = 2 * RELOAD_MS;

export const periodAt = (now: number): number => Math.floor(now / PERIOD_MS);
/** When a key of that period expires: no token signed in it is still valid then. */
export const endOf = (period: number): Date => new Date((period + 1) * PERIOD_MS + OVERLAP_MS);

/** The sealing context of that key's private part. */
export const signingKeyContext = (kid: string) => `signing-key:${kid}`;

export async function newSigningKey(
  about: Pick<SigningKeyDoc, "period" | "createdAt" | "expiresAt" | "signsFrom" | "rotation">,
  sealing: Sealing,
): Promise<SigningKeyDoc> {
  const pair = await generateKeyPair("EdDSA", { extractable: true });
  const privateJwk = await exportJWK(pair.privateKey);
  const _id = newId();
  const privateSealed = sealing.seal(JSON.stringify(privateJwk), signingKeyContext(_id));
  return { _id, ...about, publicX: String(privateJwk.x), privateSealed };
}

/**
 * Replaces all current and future signing keys. Tokens signed by the old keys stay valid until they expire. With `atOnce`, for
 * keys that may have leaked, they become invalid within about a minute, and clients refresh. Returns when the new key begins
 * to sign. `overlapMs`: how long the old keys still verify after that; shorter only while no worker runs.
 */
export async function rotateSigningKeys(
  { keys, sealing, audit, now }: { keys: SigningKeys; sealing: Sealing; audit: Audit; now: number },
  { atOnce, overlapMs = atOnce ? RELOAD_MS + 5_000 : OVERLAP_MS }: { atOnce: boolean; overlapMs?: number },
): Promise<{ kids: string[]; signsFrom: Date }> {
  const signsFrom = new Date(now + (atOnce ? 0 : LEAD_MS));
  // By default every process signs with the new key by then.
  const oldUntil = new Date(signsFrom.getTime() + overlapMs);
  // We no longer sign with keys of past periods, but somebody who has them could.
  if (atOnce) await keys.expireBefore(periodAt(now), oldUntil);
  const present = (await keys.usable(new Date(now))).filter(({ period }) => period >= periodAt(now));
  const periods = [...new Set([periodAt(now), ...present.map(({ period }) => period)])];
  const kids: string[] = [];
  for (const period of periods) {
    const rotations = present.filter((key) => key.period === period).map(({ rotation = 0 }) => rotation);
    const rotation = Math.max(0, ...rotations) + 1;
    const about = { period, rotation, signsFrom, createdAt: new Date(now), expiresAt: endOf(period) };
    const key = await newSigningKey(about, sealing);
    if (!(await keys.addUnlessThere(key))) throw new Error("Somebody else is rotating the keys.");
    audit("signing_key.rotated", OPERATOR, { kid: key._id, period });
    await keys.expireOthers(period, key._id, oldUntil);
    kids.push(key._id);
  }
  return { kids, signsFrom };
}
