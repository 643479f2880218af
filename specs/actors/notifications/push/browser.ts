/** A browser's part of web push: creates a subscription, and decrypts what a push service delivers (RFC 8291, RFC 8188). */
import { createDecipheriv, createECDH, createHmac, randomBytes } from "node:crypto";

const hmac = (key: Buffer, ...parts: (Buffer | string)[]): Buffer => {
  const made = createHmac("sha256", key);
  for (const part of parts) made.update(part);
  return made.digest();
};

/** One block of HKDF. */
const expand = (key: Buffer, info: Buffer, length: number): Buffer =>
  hmac(key, info, Buffer.from([1])).subarray(0, length);

export function newBrowser(endpoint: string) {
  const pair = createECDH("prime256v1");
  const publicKey = pair.generateKeys();
  const auth = randomBytes(16);
  const subscription = {
    endpoint,
    expirationTime: null,
    keys: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") },
  };
  return {
    /** The subscription as the page sends it to the service. */
    token: JSON.stringify(subscription),

    /** Throws when it wasn't encrypted to this browser. */
    open(body: Buffer): unknown {
      const salt = body.subarray(0, 16);
      const keyLength = body.readUInt8(20);
      const sender = body.subarray(21, 21 + keyLength);
      const sealed = body.subarray(21 + keyLength);
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, sender]);
      const secret = expand(hmac(auth, pair.computeSecret(sender)), info, 32);
      const random = hmac(salt, secret);
      const key = expand(random, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
      const nonce = expand(random, Buffer.from("Content-Encoding: nonce\0"), 12);
      const decipher = createDecipheriv("aes-128-gcm", key, nonce);
      decipher.setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      // The last record ends with the delimiter 2 and padding zeros.
      return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString("utf8"));
    },
  };
}
