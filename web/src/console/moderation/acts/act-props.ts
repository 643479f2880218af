/** As the service has it. docs/interface.md#8-limits */
export const LONGEST_REASON = 500;

/** Of a dialog that acts on one user. */
export type ActProps = {
  streamId: string;
  user: { id: string; username: string };
  /** Says what came of it; a toast by default. */
  onDone?: (text: string) => void;
  onClose: () => void;
};

/** The request's field, which may be left out and not be empty. */
export const reasonOf = (typed: string): { reason?: string } => {
  const reason = typed.trim();
  return reason === "" ? {} : { reason };
};
