/** Whether a request comes from a browser that shows pages. */
import type { FastifyRequest } from 'fastify'

/** A browser asks for a page; anything else gets JSON. */
export const wantsPage = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean => /\btext\/html\b/.test(headers.accept ?? '')
