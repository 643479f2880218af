/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The service's environment; all other code is passed values. Only what runs before anything is installed (deploy/*.mjs) reads it itself. */
export const processEnvironment = (): Environment => ({ ...process.env });
