import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { expect } from "chai";
import { createSealing } from "../../../actors/keys/sealing.ts";
import { newId } from "../../../base/ids.ts";
import type { SigningKeyDoc } from "../../../store/mongo/accounts/signing-keys.ts";
import { MASTER_KEY, type Opened, openAccounts, outcome } from "./open-accounts.ts";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

type Parts = { header: Record<string, unknown>; payload: Record<string, unknown> };

/** What a right token holds, and the means to sign and to forge it. */
type Workshop = Parts & {
  ours: KeyObject;
  theirs: KeyObject;
  publicX: string;
  token: string;
  refreshToken: string;
};

function signed({ header, payload }: Parts, key: KeyObject): string {
  const body = `${encode(header)}.${encode(payload)}`;
  return `${body}.${sign(null, Buffer.from(body), key).toString("base64url")}`;
}

function hmacSigned({ header, payload }: Parts, secret: string | Buffer): string {
  const body = `${encode(header)}.${encode(payload)}`;
  return `${body}.${createHmac("sha256", secret).update(body).digest("base64url")}`;
}

const withHeader = (w: Workshop, header: Record<string, unknown>) =>
  signed({ header: { ...w.header, ...header }, payload: w.payload }, w.ours);
const withPayload = (w: Workshop, payload: Record<string, unknown>) =>
  signed({ header: w.header, payload: { ...w.payload, ...payload } }, w.ours);
const without = (parts: Record<string, unknown>, name: string) =>
  Object.fromEntries(Object.entries(parts).filter(([key]) => key !== name));
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

const RSA = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

const forgeries: Record<string, (w: Workshop) => string> = {
  "no signature, alg none": (w) => `${encode({ ...w.header, alg: "none" })}.${encode(w.payload)}.`,
  "alg None in other casing": (w) => `${encode({ ...w.header, alg: "nOnE" })}.${encode(w.payload)}.`,
  "alg none with the right signature": (w) =>
    `${encode({ ...w.header, alg: "none" })}.${w.token.split(".").slice(1).join(".")}`,
  "HS256 by the public key's bytes": (w) =>
    hmacSigned({ ...w, header: { ...w.header, alg: "HS256" } }, Buffer.from(w.publicX, "base64url")),
  "HS256 by the public key's text": (w) =>
    hmacSigned({ ...w, header: { ...w.header, alg: "HS256" } }, w.publicX),
  "HS256 by an empty secret": (w) => hmacSigned({ ...w, header: { ...w.header, alg: "HS256" } }, ""),
  "RS256 by a key of their own": (w) => {
    const body = `${encode({ ...w.header, alg: "RS256" })}.${encode(w.payload)}`;
    return `${body}.${sign("sha256", Buffer.from(body), RSA).toString("base64url")}`;
  },
  "EdDSA by a key of their own under our kid": (w) => signed(w, w.theirs),
  "a key of their own in jwk": (w) => {
    const jwk = w.theirs.export({ format: "jwk" });
    return signed(
      { header: { ...w.header, jwk: { kty: jwk.kty, crv: jwk.crv, x: jwk.x } }, payload: w.payload },
      w.theirs,
    );
  },
  "a key address in jku": (w) =>
    signed({ header: { ...w.header, jku: "https://evil.example/jwks.json" }, payload: w.payload }, w.theirs),
  "a certificate address in x5u": (w) =>
    signed({ header: { ...w.header, x5u: "https://evil.example/cert.pem" }, payload: w.payload }, w.theirs),
  "an unknown kid": (w) => withHeader(w, { kid: newId() }),
  "no kid": (w) => signed({ header: without(w.header, "kid"), payload: w.payload }, w.ours),
  "a path as kid": (w) => withHeader(w, { kid: "../../../../dev/null" }),
  "an operator as kid": (w) => withHeader(w, { kid: { $ne: null } }),
  "__proto__ as kid": (w) => withHeader(w, { kid: "__proto__" }),
  "another typ": (w) => withHeader(w, { typ: "JWT" }),
  "no typ": (w) => signed({ header: without(w.header, "typ"), payload: w.payload }, w.ours),
  "an unknown critical header": (w) => withHeader(w, { crit: ["b64"], b64: false }),
  "another issuer": (w) => withPayload(w, { iss: "https://evil.example" }),
  "no issuer": (w) => signed({ header: w.header, payload: without(w.payload, "iss") }, w.ours),
  "another audience": (w) => withPayload(w, { aud: "livecore-2fa" }),
  "no audience": (w) => signed({ header: w.header, payload: without(w.payload, "aud") }, w.ours),
  expired: (w) => withPayload(w, { iat: inSeconds(-1_000), nbf: inSeconds(-1_000), exp: inSeconds(-60) }),
  "no expiry": (w) => signed({ header: w.header, payload: without(w.payload, "exp") }, w.ours),
  "a far expiry, but old": (w) => withPayload(w, { iat: inSeconds(-2_000), exp: inSeconds(9_999) }),
  "an expiry in text": (w) => withPayload(w, { exp: "9999999999" }),
  "not valid yet": (w) => withPayload(w, { nbf: inSeconds(60) }),
  "made in the future": (w) => withPayload(w, { iat: inSeconds(60) }),
  "no subject": (w) => signed({ header: w.header, payload: without(w.payload, "sub") }, w.ours),
  "an operator as subject": (w) => withPayload(w, { sub: { $ne: null } }),
  "a subject that is no id": (w) => withPayload(w, { sub: "admin" }),
  "no session": (w) => signed({ header: w.header, payload: without(w.payload, "sid") }, w.ours),
  "an operator as session": (w) => withPayload(w, { sid: { $gt: "" } }),
  "another subject under the old signature": (w) => {
    const [header, , signature] = w.token.split(".");
    return `${header}.${encode({ ...w.payload, sub: newId() })}.${signature}`;
  },
  "a cut signature": (w) => w.token.slice(0, -4),
  "an empty signature": (w) => `${w.token.split(".").slice(0, 2).join(".")}.`,
  "four parts": (w) => `${w.token}.${encode({})}`,
  "the refresh token": (w) => w.refreshToken,
  "an API token's form": () => "lc_pat_0123456789abcdefghijklmnopqrstuvwxyzAB",
  nothing: () => "",
  "no JSON in it": () => "bm90IGpzb24.bm90IGpzb24.bm90IGpzb24",
  "very long": (w) => `${w.token}${"A".repeat(100_000)}`,
};

describe("forged access tokens", () => {
  let opened: Opened;
  let workshop: Workshop;

  before(async () => {
    opened = await openAccounts();
    const { accessToken, refreshToken } = await opened.account();
    const [header = "", payload = ""] = accessToken.split(".");
    const doc = await opened.stores.mongo.db.collection<SigningKeyDoc>("signing_keys").findOne({});
    if (!doc) throw new Error("There is no signing key.");
    const jwk = JSON.parse(createSealing(MASTER_KEY).unseal(doc.privateSealed, `signing-key:${doc._id}`));
    workshop = {
      header: { ...JSON.parse(Buffer.from(header, "base64url").toString()), kid: doc._id },
      payload: JSON.parse(Buffer.from(payload, "base64url").toString()),
      ours: createPrivateKey({ key: jwk, format: "jwk" }),
      theirs: generateKeyPairSync("ed25519").privateKey,
      publicX: doc.publicX,
      token: accessToken,
      refreshToken,
    };
  });
  after(() => opened.close());

  it("are distinguished from a right one made by the same means", async () => {
    expect(
      await outcome(opened.accounts.tokens.authenticate(signed(workshop, workshop.ours), "bearer")),
    ).equal("accepted");
  });

  for (const [name, forge] of Object.entries(forgeries)) {
    it(`are refused: ${name}`, async () => {
      const token = forge(workshop);

      expect(await outcome(opened.accounts.tokens.authenticate(token, "bearer"))).equal("invalid_token");
      expect(await outcome(opened.accounts.tokens.authenticate(token, "cookie"))).equal("invalid_token");
    });
  }
});
