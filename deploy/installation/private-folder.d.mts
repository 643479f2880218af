export function takePrivate(folder: string): string | null;
