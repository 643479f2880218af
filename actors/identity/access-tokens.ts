import { errors, importJWK, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { ServiceError } from "../../specs/contract/errors.ts";
import type { Clock } from "../../store/clock.ts";
import { isUuid } from "../../store/ids.ts";
import type { KeyRing } from "./key-ring.ts";

export const ACCESS_TOKEN_SECONDS = 900;
export const ISSUER = "livecore";
export const AUDIENCE = "livecore-api";
const TYPE = "at+jwt";
const ALGORITHM = "EdDSA";
const MAX_LENGTH = 2_048;
/** Machines' clocks may differ by this much, seconds. */
const TOLERANCE = 5;

/** What an access token says. The name may be as old as the token: an old name stays its owner's for long. */
export type AccessClaims = { userId: string; username: string; sessionId: string };

function claimsOf(payload: JWTPayload): AccessClaims | null {
  const { sub, sid, username } = payload;
  if (sub === undefined || !isUuid(sub) || typeof sid !== "string" || typeof username !== "string")
    return null;
  return { userId: sub, sessionId: sid, username };
}

/**
 * Access tokens: JWTs of 15 minutes, signed with Ed25519 by our own keys alone. The algorithm and type are
 * pinned, and the key is found by `kid` among those we hold: nothing else in a header is looked at (RFC 8725).
 */
export function createAccessTokens({ keyRing, clock }: { keyRing: KeyRing; clock: Clock }) {
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

    /** Throws `invalid_token` for whatever isn't a token of ours that is valid now. */
    async verify(token: string): Promise<AccessClaims> {
      if (token.length > MAX_LENGTH) throw new ServiceError("invalid_token");
      try {
        const { payload } = await jwtVerify(token, async ({ kid }) => keyRing.verifying(kid), {
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
        if (claims) return claims;
      } catch (err) {
        if (!(err instanceof errors.JOSEError)) throw err;
        throw new ServiceError("invalid_token", undefined, { cause: err });
      }
      throw new ServiceError("invalid_token");
    },
  };
}

export type AccessTokens = ReturnType<typeof createAccessTokens>;
