/** Variables as a process is given them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The one place that reads the process's own environment; everything else is handed values. */
export const processEnvironment = (): Environment => ({ ...process.env });
