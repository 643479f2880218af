import { readFileSync } from "node:fs";
import { type CityResponse, Reader } from "mmdb-lib";

/** The approximate location of an IP address; unknown parts are null. */
type ApproximateLocation = { country: string | null; city: string | null };

/** Null when nothing is known of the address, or when there is no database. */
export type OriginOf = (address: string) => ApproximateLocation | null;

/** Loads a MaxMind database (country or city) into memory. Throws when the file can't be read or isn't a database. */
export function openOrigins(file: string): OriginOf {
  const reader = new Reader<CityResponse>(readFileSync(file));
  return (address) => {
    let found: CityResponse | null;
    try {
      found = reader.get(address);
    } catch {
      // The address is of an IP version that the database doesn't have.
      return null;
    }
    const country = found?.country?.iso_code ?? null;
    const city = found?.city?.names?.en ?? null;
    return country === null && city === null ? null : { country, city };
  };
}
