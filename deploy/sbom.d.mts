export function writeSbom(file: string): Promise<boolean>;
export function missingFromSbom(json: string, dependencies: Record<string, string>): string[];
