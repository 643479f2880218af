import { errors, importJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../../../base/clock.ts";
import { isUuid } from "../../../base/ids.ts";
import { ServiceError } from "../../../contract/errors.ts";
import type { KeyRing } from "./key-ring.ts";

export const ACCESS_TOKEN_SECONDS = 900;
const ISSUER = "livecore";
const AUDIENCE = "livecore-api";
const TYPE = "at+jwt";
const ALGORITHM = "EdDSA";
const MAX_LENGTH = 2_048;
/** Allowed clock skew between machines, in seconds. */
const TOLERANCE = 5;
const MAX_VERIFIED = 10_000;

/** The claims of an access token. The name may be as old as the token, since an old name stays reserved for its owner. */
type AccessClaims = { userId: string; username: string; sessionId: string };

/** A token with a verified signature; `from` and `until` (Unix seconds) bound its validity. */
type Verified = { claims: AccessClaims; kid: string | undefined; from: number; until: number };

function claimsOf(payload: JWTPayload): AccessClaims | null {
  const { sub, sid, username } = payload;
  if (sub === undefined || !isUuid(sub) || typeof sid !== "string" || typeof username !== "string")
    return null;
  return { userId: sub, sessionId: sid, username };
}

/**
 * Access tokens: JWTs valid for 15 minutes, signed with Ed25519 by our own keys only. The algorithm and type are
 * pinned, and the key is found by `kid` among those we hold; nothing else in a header is used (RFC 8725).
 * A verified signature is cached, since verifying costs more than the rest of most requests; expiry and key are checked
 * every time.
 */
export function createAccessTokens({ keyRing, clock }: { keyRing: KeyRing; clock: Clock }) {
  /** Keyed by the whole token, oldest first. */
  const verified = new Map<string, Verified>();

  function remember(token: string, entry: Verified): void {
    verified.set(token, entry);
    if (verified.size <= MAX_VERIFIED) return;
    for (const oldest of verified.keys()) {
      verified.delete(oldest);
      return;
    }
  }

  async function check(token: string): Promise<Verified> {
    const { payload, protectedHeader } = await jwtVerify(token, async ({ kid }) => keyRing.verifying(kid), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      typ: TYPE,
      requiredClaims: ["sub", "sid", "iat", "nbf", "exp"],
      maxTokenAge: ACCESS_TOKEN_SECONDS,
      clockTolerance: TOLERANCE,
      currentDate: new Date(clock.now()),
    });
    const claims = claimsOf(payload);
    if (!claims) throw new ServiceError("invalid_token");
    const { iat = 0, nbf = 0, exp = 0 } = payload;
    const entry = {
      claims,
      kid: protectedHeader.kid,
      from: Math.max(iat, nbf) - TOLERANCE,
      until: Math.min(exp, iat + ACCESS_TOKEN_SECONDS) + TOLERANCE,
    };
    remember(token, entry);
    return entry;
  }

  return {
    async issue(claims: AccessClaims): Promise<string> {
      const { kid, privateJwk } = await keyRing.signing();
      const now = Math.floor(clock.now() / 1_000);
      return new SignJWT({ sid: claims.sessionId, username: claims.username })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(claims.userId)
        .setIssuedAt(now)
        .setNotBefore(now)
        .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
        .sign(await importJWK(privateJwk, ALGORITHM));
    },

    /** Throws `invalid_token` unless it is one of our tokens and valid now. */
    async verify(token: string): Promise<AccessClaims> {
      if (token.length > MAX_LENGTH) throw new ServiceError("invalid_token");
      try {
        const known = verified.get(token);
        if (!known) return (await check(token)).claims;
        const now = Math.floor(clock.now() / 1_000);
        if (now < known.from || now >= known.until) throw new ServiceError("invalid_token");
        await keyRing.verifying(known.kid);
        return known.claims;
      } catch (err) {
        if (!(err instanceof errors.JOSEError)) throw err;
        throw new ServiceError("invalid_token", undefined, { cause: err });
      }
    },
  };
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;
