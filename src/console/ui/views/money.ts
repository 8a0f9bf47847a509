/** Which values are money. */

/** Whether a field of a record, a parameter or a figure is an amount of money. */
export const isMoney = (name: string): boolean => /^(?:\w+_)?amount(?:_refunded)?$|^(?:charged|refunded|remaining|asked)$/.test(name)
