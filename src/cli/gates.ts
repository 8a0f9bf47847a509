/** What can fail a run of `exec` beside the command itself. */
export const GATES = ['findings', 'expectations', 'script'] as const
export type Gate = (typeof GATES)[number]
