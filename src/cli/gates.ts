/** The checks that can fail a run of `exec`, apart from the command itself. */
export const GATES = ['findings', 'expectations', 'script'] as const
export type Gate = (typeof GATES)[number]
