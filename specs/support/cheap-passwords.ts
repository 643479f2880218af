/** Accounts and guesses by the hundred would take minutes at the full cost; specs of sign-in itself pay it. */
export const CHEAP_PASSWORDS = { memoryCost: 64, timeCost: 1, parallelism: 1 };
/** Any that isn't in the list is strong enough: the estimate takes as long as a request or two. */
export const CHEAP_ESTIMATE = async () => 4;
