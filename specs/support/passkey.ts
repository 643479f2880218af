import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from "../../contract/wire.ts";
import type { Api, Success } from "./api.ts";

/** The origin of the pages of a world (PUBLIC_URL). */
export const ORIGIN = "https://livecore.example";

/** Flags of authenticator data. */
const PRESENT = 0x01;
const VERIFIED = 0x04;
const SYNCABLE = 0x08;
const SYNCED = 0x10;
const HAS_CREDENTIAL = 0x40;

/** What a browser or an authenticator reports otherwise than an honest one does. */
export type Otherwise = {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  crossOrigin?: boolean;
  isVerified?: boolean;
  isPresent?: boolean;
  userHandle?: string | null;
  counter?: number;
  isSyncable?: boolean;
};

export type CBORType = Parameters<typeof isoCBOR.encode>[0];
export type Attestation = { fmt: string; attStmt: Map<string, CBORType> };

export type SoftPasskey = ReturnType<typeof newPasskey>;

const sha256 = (data: Uint8Array | string) => createHash("sha256").update(data).digest();
const base64url = (data: Uint8Array | string) => Buffer.from(data).toString("base64url");

/**
 * A passkey in software, and the browser around it: one key pair (ES256), made for the account whose options it is given first.
 * `isSynced`: as of a password manager, without a counter.
 */
export function newPasskey({ isSynced = false }: { isSynced?: boolean } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(16);
  let counter = 0;
  let userHandle = "";

  const clientData = (type: string, challenge: string, other: Otherwise): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: other.type ?? type,
        challenge: other.challenge ?? challenge,
        origin: other.origin ?? ORIGIN,
        crossOrigin: other.crossOrigin ?? false,
      }),
    );

  function authenticatorData(rpId: string, more: Buffer, other: Otherwise): Buffer {
    const isSyncable = other.isSyncable ?? isSynced;
    const flags =
      (other.isPresent === false ? 0 : PRESENT) |
      (other.isVerified === false ? 0 : VERIFIED) |
      (isSyncable ? SYNCABLE | SYNCED : 0) |
      (more.length > 0 ? HAS_CREDENTIAL : 0);
    if (!isSynced) counter++;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(other.counter ?? counter);
    return Buffer.concat([sha256(other.rpId ?? rpId), Buffer.from([flags]), count, more]);
  }

  /** COSE_Key of the public key: kty EC2, alg ES256, crv P-256, x, y. */
  function coseKey(): Buffer {
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const part = (text: string) => Uint8Array.from(Buffer.from(text, "base64url"));
    const map = new Map<number, CBORType>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, part(x)],
      [-3, part(y)],
    ]);
    return Buffer.from(isoCBOR.encode(map));
  }

  return {
    id: base64url(id),

    /** `navigator.credentials.create()`. `attest`: makes an attestation of what it is handed; default: none is made. */
    create(
      { options }: PasskeyCreation,
      other: Otherwise = {},
      attest: (signed: Buffer) => Attestation = () => ({ fmt: "none", attStmt: new Map() }),
    ): PasskeyAttestation {
      userHandle = options.user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey()]);
      const authData = Uint8Array.from(authenticatorData(options.rp.id, credential, other));
      const client = clientData("webauthn.create", options.challenge, other);
      const { fmt, attStmt } = attest(Buffer.concat([authData, sha256(client)]));
      const object = new Map<string, CBORType>([
        ["fmt", fmt],
        ["attStmt", attStmt],
        ["authData", authData],
      ]);
      return {
        id: base64url(id),
        rawId: base64url(id),
        type: "public-key",
        response: {
          clientDataJSON: base64url(client),
          attestationObject: base64url(isoCBOR.encode(object)),
          transports: isSynced ? ["internal", "hybrid"] : ["internal"],
        },
      };
    },

    /** `navigator.credentials.get()`. */
    get({ options }: PasskeyRequest, other: Otherwise = {}): PasskeyAssertion {
      const client = clientData("webauthn.get", options.challenge, other);
      const data = authenticatorData(options.rpId, Buffer.alloc(0), other);
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey);
      return {
        id: base64url(id),
        rawId: base64url(id),
        type: "public-key",
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(signature),
          userHandle: other.userHandle === undefined ? userHandle : other.userHandle,
        },
      };
    },
  };
}

/** Adds a passkey to the caller's account, whose session has to be fresh. */
export async function givenPasskey(
  api: Api,
  passkey: SoftPasskey = newPasskey(),
): Promise<{ passkey: SoftPasskey; made: Success<"createPasskey"> }> {
  const options = await api.ok("startPasskeyRegistration");
  const body = { name: "A laptop", credential: passkey.create(options) };
  return { passkey, made: await api.ok("createPasskey", { body }) };
}
