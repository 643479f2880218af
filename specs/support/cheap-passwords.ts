/** Hundreds of accounts and guesses would take minutes at the full cost; only specs of sign-in itself use it. */
export const CHEAP_PASSWORDS = { memoryCost: 64, timeCost: 1, parallelism: 1 };
/** Every password that isn't in the list of common ones counts as strong: the real estimate takes as long as a request or two. */
export const CHEAP_ESTIMATE = async () => 4;
