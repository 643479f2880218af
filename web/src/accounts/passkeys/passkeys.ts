import type { Success } from "@livecore/client";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { Problem } from "../../site/problems.ts";
import { client } from "../../site/session.ts";
import { TEXTS } from "../../texts/texts.ts";

/** Whether this browser can use passkeys at all. */
export const hasPasskeys = (): boolean => typeof PublicKeyCredential === "function";

/** Asks the browser for a passkey of this service, whosever it is, and signs in with it. */
export async function signInByPasskey(): Promise<Success<"signInWithPasskey">> {
  const { options } = await client.call("startPasskeySignIn");
  return client.call("signInWithPasskey", { body: { credential: await assertionFor(options) } });
}

/** Proves who is here by one of the user's passkeys. */
export async function stepUpByPasskey(): Promise<void> {
  const { options } = await client.call("startPasskeyStepUp");
  await client.call("stepUp", { body: { passkey: await assertionFor(options) } });
}

/** Makes a passkey on this device, or on one that the browser offers, for the user's account. */
export async function addPasskey(
  options: Success<"startPasskeyRegistration">["options"],
  name: string,
): Promise<Success<"createPasskey">> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  // The service makes them with the same library's other half.
  const optionsJSON = options as object as PublicKeyCredentialCreationOptionsJSON;
  const made = await startRegistration({ optionsJSON }).catch((err: unknown) => {
    throw new Problem(textOf(err));
  });
  const credential = { ...made, response: { ...made.response } };
  return client.call("createPasskey", { body: { name, credential } });
}

async function assertionFor(options: Success<"startPasskeySignIn">["options"]) {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  const optionsJSON = options as object as PublicKeyCredentialRequestOptionsJSON;
  const assertion = await startAuthentication({ optionsJSON }).catch((err: unknown) => {
    throw new Problem(textOf(err));
  });
  return { ...assertion, response: { ...assertion.response } };
}

/** Why the browser gave none, for its user. */
function textOf(err: unknown): string {
  const { passkeys } = TEXTS.accounts;
  const name = err instanceof Error ? err.name : "";
  if (name === "InvalidStateError") return passkeys.known;
  if (name === "SecurityError") return passkeys.insecure;
  return passkeys.cancelled;
}
