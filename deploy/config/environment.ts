/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The only place that reads the process's own environment; all other code is passed values. */
export const processEnvironment = (): Environment => ({ ...process.env });
