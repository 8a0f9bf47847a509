/**
 * The control routes of the apps that a test starts, collected as they are registered, so that none
 * is missed.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'

export type Route = { method: string; path: string }

/** Collects every route that is registered from now on, until the test ends. */
export function collectRoutes(t: Test): Route[] {
  const routes: Route[] = []
  const watch = (message: unknown) => {
    const { fastify: app } = message as { fastify: FastifyInstance }
    app.addHook('onRoute', ({ method, url }) => {
      // a prefix responds with and without a final slash
      const path = url.replace(/(?<=.)\/$/, '')
      // HEAD responds like GET, without a body
      for (const one of [method].flat())
        if (one !== 'HEAD' && !routes.some(route => route.method === one && route.path === path))
          routes.push({ method: one, path })
    })
  }
  subscribe('fastify.initialization', watch)
  t.teardown(() => unsubscribe('fastify.initialization', watch))
  return routes
}

export const isControl = ({ path }: Route): boolean =>
  path === '/_control' || path.startsWith('/_control/')
