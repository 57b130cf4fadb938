// The shells for which `kscrape completion` prints a script.

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]
