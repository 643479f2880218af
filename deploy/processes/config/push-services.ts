import { createPrivateKey, type KeyObject } from "node:crypto";
import type { Schema } from "./schemas.ts";
import { Secret } from "./secret.ts";

/** Parses a private key in PEM; null when it isn't one. Variables often have its newlines as a literal `\n`: see `unescaped`. */
function privateKey(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}

const unescaped = (text: string): string => text.replaceAll("\\n", "\n");

/** Null when it isn't given. */
export const vapidKey: Schema<Secret | null> = {
  shape: "32 bytes in base64url, or nothing",
  parse(value) {
    if (value === "") return null;
    if (!/^[\w-]{43}=?$/.test(value))
      throw new Error("must be 32 bytes in base64url, as `npx web-push generate-vapid-keys` makes them");
    return new Secret(value);
  },
};

/** Null when it isn't given. */
export const vapidSubject: Schema<string | null> = {
  shape: "mailto:… or https://…, or nothing",
  parse(value) {
    if (value === "") return null;
    if (!/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(value))
      throw new Error("must be mailto: with an address, or an https address");
    return value;
  },
};

/** Null when it isn't given. */
export const apnsKey: Schema<Secret | null> = {
  shape: "a .p8 file's text, or nothing",
  parse(value) {
    if (value === "") return null;
    const pem = unescaped(value);
    if (privateKey(pem)?.asymmetricKeyDetails?.namedCurve !== "prime256v1")
      throw new Error("must be the text of Apple's .p8 file, with its first and last line");
    return new Secret(pem);
  },
};

export type ServiceAccount = { projectId: string; clientEmail: string; privateKey: Secret; tokenUrl: string };

/** Null when it isn't given. */
export const serviceAccount: Schema<ServiceAccount | null> = {
  shape: "a service account's JSON, or nothing",
  parse(value) {
    if (value === "") return null;
    const fields = objectIn(value);
    const { project_id: projectId, client_email: clientEmail, private_key: key, token_uri: given } = fields;
    const tokenUrl = given ?? "https://oauth2.googleapis.com/token";
    const isWhole =
      typeof projectId === "string" &&
      /^[\w.:-]{1,100}$/.test(projectId) &&
      typeof clientEmail === "string" &&
      typeof key === "string" &&
      typeof tokenUrl === "string" &&
      /^https:\/\/\S+$/.test(tokenUrl);
    if (!isWhole || privateKey(key)?.asymmetricKeyType !== "rsa")
      throw new Error("must be the JSON of a service account, with project_id, client_email and private_key");
    return { projectId, clientEmail, privateKey: new Secret(key), tokenUrl };
  },
};

/** Never throws, so that no message quotes the text: it holds a key. */
function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
