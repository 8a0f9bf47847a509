/** What browsers tell about the page that a request comes from. */
import type { FastifyRequest } from 'fastify'

type Headed = Pick<FastifyRequest, 'headers'>

export const wantsPage = ({ headers }: Headed): boolean =>
  /\btext\/html\b/.test(headers.accept ?? '')

/** `none`: the address was typed. Other ports of this machine are of the same site. */
const OWN_SITES: readonly unknown[] = [undefined, 'same-origin', 'none']
export const isOfOtherSite = ({ headers }: Headed): boolean =>
  !OWN_SITES.includes(headers['sec-fetch-site'])

/** Programs send no Origin, nor do browsers for an image or a link. */
export const isOfOtherOrigin = ({ headers: { origin, host } }: Headed): boolean =>
  origin !== undefined && origin !== `http://${host}`

/** Browsers send Sec-Fetch-Site to HTTPS and local addresses only. */
export const isFromOtherPage = (request: Headed): boolean =>
  isOfOtherSite(request) ||
  (request.headers['sec-fetch-site'] === undefined && isOfOtherOrigin(request))
