import { randomBytes } from "node:crypto";
import type { Log } from "../../../base/log.ts";
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from "../../../contract/wire.ts";
import type { PasskeyDoc } from "../../../store/mongo/accounts/passkeys.ts";
import type { UserDoc } from "../../../store/mongo/accounts/users.ts";
import { CHALLENGE_SECONDS } from "./challenges.ts";

/** Loaded when it is needed first: it takes 25 MB, and of all processes only those that answer REST verify passkeys. */
const webauthn = () => import("@simplewebauthn/server");
const webauthnHelpers = () => import("@simplewebauthn/server/helpers");

const TYPE = "public-key";
/** EdDSA, ES256 and RS256 (COSE): what authenticators have. */
const ALGORITHMS = [-8, -7, -257];

/** What a registration proves. */
type NewCredential = Pick<
  PasskeyDoc,
  "credentialId" | "publicKey" | "counter" | "isSyncable" | "isSynced" | "transports"
>;

const newChallenge = (): string => randomBytes(32).toString("base64url");

/** The user handle that the authenticator keeps beside the key: the 16 bytes of the user's id. */
export const handleOf = (userId: string): string =>
  Buffer.from(userId.replaceAll("-", ""), "hex").toString("base64url");

const descriptorOf = ({ credentialId: id, transports }: PasskeyDoc) => ({
  id,
  type: TYPE,
  ...(transports.length > 0 ? { transports } : {}),
});

/**
 * This service as a WebAuthn relying party. Its id is the host of PUBLIC_URL; passkeys belong to it for good. A page may be of
 * PUBLIC_URL's origin or of ALLOWED_ORIGINS; browsers besides require that the id is its host or a parent domain of that.
 */
export function createRelyingParty({
  instanceName,
  publicUrl,
  allowedOrigins,
  log,
}: {
  /** What browsers call the service when they ask for a passkey. */
  instanceName: string;
  publicUrl: string;
  allowedOrigins: readonly string[];
  log: Log;
}) {
  const { hostname: rpID, origin } = new URL(publicUrl);
  const expected = { expectedOrigin: [origin, ...allowedOrigins], expectedRPID: rpID };
  const timeout = CHALLENGE_SECONDS * 1_000;

  /** Null instead of what the library throws, which is always about the response: it does no I/O. */
  async function verified<T>(verify: () => Promise<T | null>): Promise<T | null> {
    try {
      return await verify();
    } catch (err) {
      log.debug({ err }, "passkey refused");
      return null;
    }
  }

  return {
    creationOptions: (
      { _id, username: name, usernameTitle: displayName }: UserDoc,
      passkeys: readonly PasskeyDoc[],
    ): PasskeyCreation["options"] => ({
      challenge: newChallenge(),
      rp: { id: rpID, name: instanceName },
      user: { id: handleOf(_id), name, displayName },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: TYPE })),
      timeout,
      attestation: "none",
      excludeCredentials: passkeys.map(descriptorOf),
      authenticatorSelection: {
        residentKey: "required",
        requireResidentKey: true,
        userVerification: "required",
      },
    }),

    /** Null: for anybody, who chooses among all passkeys of this service. */
    requestOptions: (passkeys: readonly PasskeyDoc[] | null): PasskeyRequest["options"] => ({
      challenge: newChallenge(),
      rpId: rpID,
      timeout,
      userVerification: "required",
      ...(passkeys === null ? {} : { allowCredentials: passkeys.map(descriptorOf) }),
    }),

    /** The challenge that a response claims to answer; null for one that can't be read, or is made in a frame of another site. */
    challengeOf: ({ response }: PasskeyAssertion | PasskeyAttestation): Promise<string | null> =>
      verified(async () => {
        const { decodeClientDataJSON } = await webauthnHelpers();
        const { challenge, crossOrigin = false } = decodeClientDataJSON(response.clientDataJSON);
        return typeof challenge === "string" && !crossOrigin ? challenge : null;
      }),

    /** Null for a response that isn't valid for that challenge. */
    verifyRegistration: (sent: PasskeyAttestation, challenge: string): Promise<NewCredential | null> =>
      verified(async () => {
        const { verifyRegistrationResponse } = await webauthn();
        if (!(await isWithoutCertificates(sent.response.attestationObject))) return null;
        const { clientDataJSON, attestationObject, transports = [] } = sent.response;
        const { verified: isValid, registrationInfo } = await verifyRegistrationResponse({
          ...expected,
          response: {
            id: sent.id,
            rawId: sent.rawId,
            type: TYPE,
            clientExtensionResults: {},
            response: { clientDataJSON, attestationObject },
          },
          expectedChallenge: challenge,
          requireUserVerification: true,
          supportedAlgorithmIDs: ALGORITHMS,
        });
        if (!isValid) return null;
        const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
        if (credential.id !== sent.id) return null;
        return {
          credentialId: credential.id,
          publicKey: Buffer.from(credential.publicKey).toString("base64url"),
          counter: credential.counter,
          isSyncable: credentialDeviceType === "multiDevice",
          isSynced: credentialBackedUp,
          transports,
        };
      }),

    /** The counter and state that the passkey reports; null when it doesn't prove to have signed that challenge. */
    verifyAssertion: (
      sent: PasskeyAssertion,
      challenge: string,
      passkey: PasskeyDoc,
    ): Promise<{ counter: number; isSynced: boolean } | null> =>
      verified(async () => {
        const { verifyAuthenticationResponse } = await webauthn();
        const { clientDataJSON, authenticatorData, signature } = sent.response;
        const { verified: isValid, authenticationInfo } = await verifyAuthenticationResponse({
          ...expected,
          response: {
            id: sent.id,
            rawId: sent.rawId,
            type: TYPE,
            clientExtensionResults: {},
            response: { clientDataJSON, authenticatorData, signature },
          },
          expectedChallenge: challenge,
          // The counter is compared when the use is recorded: here it would be before the signature is checked.
          credential: {
            id: passkey.credentialId,
            publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, "base64url")),
            counter: 0,
          },
          requireUserVerification: true,
        });
        const { newCounter: counter, credentialDeviceType, credentialBackedUp } = authenticationInfo;
        const isSyncable = credentialDeviceType === "multiDevice";
        return isValid && isSyncable === passkey.isSyncable
          ? { counter, isSynced: credentialBackedUp }
          : null;
      }),
  };
}

/**
 * We ask for no attestation, and take none that has certificates: to check some of them the library would request revocation lists
 * from other hosts, without a deadline.
 */
async function isWithoutCertificates(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await webauthnHelpers();
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject));
  const format = decoded.get("fmt");
  return format === "none" || (format === "packed" && decoded.get("attStmt").get("x5c") === undefined);
}

export type RelyingParty = ReturnType<typeof createRelyingParty>;
