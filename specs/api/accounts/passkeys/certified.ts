import { createPrivateKey, sign } from "node:crypto";
import type { Attestation, CBORType } from "../../../support/passkey.ts";

/** A certificate of an authenticator's maker as `packed` attestations need it, with an address of revocation lists; until 2126. */
const CERTIFICATE =
  "MIICIDCCAcWgAwIBAgIUa5T7Ikp3liqWFGYuHRJDILkjKM4wCgYIKoZIzj0EAwIwUTELMAkGA1UEBhMCU0UxDjAMBgNVBAoMBVNwZWNzMSIwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0aW9uMQ4wDAYDVQQDDAVTcGVjczAgFw0yNjExMjcyMDU4MjBaGA8yMTI2MTEwMzIwNTgyMFowUTELMAkGA1UEBhMCU0UxDjAMBgNVBAoMBVNwZWNzMSIwIAYDVQQLDBlBdXRoZW50aWNhdG9yIEF0dGVzdGF0aW9uMQ4wDAYDVQQDDAVTcGVjczBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHVmoRTenqb3HQnxuIu82GtuMEsCFiIXMs0lJhhhZQdPpkgGSxnz4HzgdUGPGfPVyWQntOvmJQMLQDrR+ju/JFijeTB3MB0GA1UdDgQWBBSsSMo0fjb+mVDbwHbS6+lOejtGQDAfBgNVHSMEGDAWgBSsSMo0fjb+mVDbwHbS6+lOejtGQDAMBgNVHRMBAf8EAjAAMCcGA1UdHwQgMB4wHKAaoBiGFmh0dHA6Ly8xMjcuMC4wLjE6OS9jcmwwCgYIKoZIzj0EAwIDSQAwRgIhALdoRIAknulgQ3opgBorNjNfgymwyY8llo/QqabLdCsWAiEAjnUzBcvO5zCCwsCDoVwk2F/RNhH7CYk75ktXuBN/Kyw=";
const KEY = createPrivateKey({
  key: Buffer.from(
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWh8uFjACc07EserOstIrjqAQc8k7AsUxnmoOTIv8xbOhRANCAAR1ZqEU3p6m9x0J8biLvNhrbjBLAhYiFzLNJSYYYWUHT6ZIBksZ8+B84HVBjxnz1clkJ7Tr5iUDC0A60fo7vyRY",
    "base64",
  ),
  format: "der",
  type: "pkcs8",
});

/** An attestation that is signed by that certificate. */
export const certified = (signed: Buffer): Attestation => ({
  fmt: "packed",
  attStmt: new Map<string, CBORType>([
    ["alg", -7],
    ["sig", Uint8Array.from(sign("sha256", signed, KEY))],
    ["x5c", [Uint8Array.from(Buffer.from(CERTIFICATE, "base64"))]],
  ]),
});
