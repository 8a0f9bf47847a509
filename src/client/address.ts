import { BASE, CONTROL, withoutSlashes } from '../core/paths.js'

/**
 * The address of an emulator or of a sandbox, without the path of its API or control API; null for
 * what is not an HTTP address.
 */
export function emulatorAddress(text: string): URL | null {
  const address = URL.canParse(text) ? new URL(text) : null
  if (address === null || !/^https?:$/.test(address.protocol)) return null
  const path = withoutSlashes(address.pathname)
  const own = [BASE, CONTROL].find(end => path.endsWith(end)) ?? ''
  return Object.assign(new URL(address.origin), {
    pathname: path.slice(0, path.length - own.length)
  })
}
