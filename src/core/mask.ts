/** What stands for a secret or for card data that is not shown. */
export const MASK = '***'
