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
  /** Of rewards and redemptions in words. */
  | { ok: Seen | string; bet: { outcome: number; amount: number } | null; balance: number | null }
  | { refused: string; details: Record<string, unknown> }
  /** There was nothing to ask, or nobody heard the answer. */
  | null;

/** What can be looked up after a step; bets by prediction and user. */
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

/** As it is now. */
export const seen = ({ status, locksAt, resolved, settled, pools, bettors }: Seen): Seen => ({
  status,
  locksAt,
  resolved,
  settled,
  pools: [...pools],
  bettors: [...bettors],
});
