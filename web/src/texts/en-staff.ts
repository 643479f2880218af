import { staffFrame } from "./en/staff/frame.ts";
import { staffReports } from "./en/staff/reports.ts";

/** The texts of staff pages in English, by key. Another language has the same keys. */
export const EN_STAFF = {
  frame: staffFrame,
  reports: staffReports,
};
