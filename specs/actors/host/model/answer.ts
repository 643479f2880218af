/** A prediction as a caller sees it; outcomes are numbers. */
export type Seen = {
  status: "active" | "locked" | "resolved" | "cancelled";
  locksAt: number;
  resolved: number | null;
  settled: boolean;
  pools: number[];
  bettors: number[];
};

export type Answer =
  /** Of rewards and redemptions as text. */
  | { ok: Seen | string; bet: { outcome: number; amount: number } | null; balance: number | null }
  | { refused: string; details: Record<string, unknown> }
  /** There was nothing to do, or the answer was lost. */
  | null;

/** The visible state after a step; bets by prediction and user. */
export type Standing = {
  predictions: Seen[];
  balances: number[];
  bets: Record<string, { outcome: number; amount: number }>;
  redemptions: string[];
};

export const refused = (code: string, details: Record<string, unknown> = {}): Answer => ({
  refused: code,
  details,
});

/** A copy of its current state. */
export const seen = ({ status, locksAt, resolved, settled, pools, bettors }: Seen): Seen => ({
  status,
  locksAt,
  resolved,
  settled,
  pools: [...pools],
  bettors: [...bettors],
});
