export function writeSbom(file: string): Promise<boolean>;
export function shippedPackages(choice?: { optional?: boolean; folder?: string }): string[];
export function missingFromSbom(json: string, packages: string[]): string[];
