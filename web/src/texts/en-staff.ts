import { staffAccounts } from "./en/staff/accounts.ts";
import { staffAppeals } from "./en/staff/appeals.ts";
import { staffAudit } from "./en/staff/audit.ts";
import { staffCategories } from "./en/staff/categories.ts";
import { staffFeatured } from "./en/staff/featured.ts";
import { staffFrame } from "./en/staff/frame.ts";
import { staffReports } from "./en/staff/reports.ts";
import { staffSets } from "./en/staff/sets.ts";
import { staffSupport } from "./en/staff/support.ts";

/** The texts of staff pages in English, by key. Another language has the same keys. */
export const EN_STAFF = {
  frame: staffFrame,
  reports: staffReports,
  appeals: staffAppeals,
  support: staffSupport,
  accounts: staffAccounts,
  categories: staffCategories,
  sets: staffSets,
  featured: staffFeatured,
  audit: staffAudit,
};
