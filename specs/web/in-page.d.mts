export function contrastOfHues(): number[];
export function textInSight(): string | null | undefined;
export function watchWork(): void;
export function workSoFar(): { frames: number[]; tasks: number[]; lines: number };
export function pictureOf(): { at: number; brightness: number };
export function postToFrame(data: object): void;
export function postToItself(data: object): void;
export function groundOf(element: unknown): string;
