/** Whether a request comes from a browser, or from a page of another site or port in it. */
import type { FastifyRequest } from 'fastify'

type Headed = Pick<FastifyRequest, 'headers'>

/** A browser asks for a page; anything else gets JSON. */
export const wantsPage = ({ headers }: Headed): boolean =>
  /\btext\/html\b/.test(headers.accept ?? '')

/** `none` is an address that was typed. Other ports of this machine are of the same site. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none']
export const isOfOtherSite = ({ headers }: Headed): boolean =>
  !OWN_SITES.includes(headers['sec-fetch-site'])

/** Programs send no Origin, and browsers send none for an image or a link. */
export const isOfOtherOrigin = ({ headers: { origin, host } }: Headed): boolean =>
  origin !== undefined && origin !== `http://${host}`

/** A browser leaves Sec-Fetch-Site out where the address is neither HTTPS nor local. */
export const isOfOtherPage = (request: Headed): boolean =>
  isOfOtherSite(request) ||
  (request.headers['sec-fetch-site'] === undefined && isOfOtherOrigin(request))
