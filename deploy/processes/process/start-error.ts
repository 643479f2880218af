/** Why a start failed, in a sentence for the person at the terminal; printed without a stack trace. */
export class StartError extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = "StartError";
  }
}
