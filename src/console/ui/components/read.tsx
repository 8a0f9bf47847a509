import type { ComponentChildren } from 'preact'
import { type Options, useResource } from '../app/resource.js'
import { Loaded } from './states.js'

type Props<T> = Options & { from: () => Promise<T>; by?: string; children: (data: T) => ComponentChildren }

/** Reads, and shows what was read; another `by` forgets what was read before. */
export const Read = <T,>({ from, by, children, ...options }: Props<T>) => <Loaded resource={useResource(from, by, options)}>{children}</Loaded>
