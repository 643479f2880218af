import { LivecoreError } from "@livecore/client";
import { client } from "../../site/session.ts";

/**
 * Calls what needs a fresh proof of who is here. Where the service asks for one, a dialog takes it in place, and the call is made once
 * more. A refusal that isn't answered is thrown. `password`: one that the form has already, so that it isn't asked for twice.
 */
export async function withStepUp<Result>(
  act: () => Promise<Result>,
  { password }: { password?: string } = {},
): Promise<Result> {
  try {
    return await act();
  } catch (err) {
    if (!(err instanceof LivecoreError) || err.code !== "step_up_required") throw err;
    const methods = methodsIn(err);
    if (password !== undefined && password !== "" && methods.includes("password"))
      await client.call("stepUp", { body: { password } });
    else {
      const { askForProof } = await import("./step-up-dialog.tsx");
      if (!(await askForProof(methods))) throw err;
    }
    return act();
  }
}

/** The proofs that this account can give. */
function methodsIn({ details }: LivecoreError): string[] {
  const { methods } = details;
  return Array.isArray(methods) ? methods.map(String) : [];
}
