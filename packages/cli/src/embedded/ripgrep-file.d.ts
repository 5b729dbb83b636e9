// What scripts/build.ts makes up for the executable: where the platform's ripgrep is inside it, and its hash.
export const file: string;
export const sha256: string;
