export const MASK = '***'
