/**
 * nginx with deploy/nginx.conf in front of emulators, and how it shares out the names of sandboxes.
 */
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { crc32 } from 'node:zlib'
import { temporary } from './files.mjs'
import { startServer } from './servers.mjs'

/** A port that nobody listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** Starts nginx in front of processes at these ports; `pids` are all its processes. */
export async function startBalancer(ports) {
  const port = await freePort()
  const text = readFileSync(new URL('../deploy/nginx.conf', import.meta.url), 'utf8')
    .replace(/^ +server emulator-(\d):4010 .*\n/gm, (line, number) =>
      ports[number] ? line.replace(`emulator-${number}:4010`, `127.0.0.1:${ports[number]}`) : ''
    )
    .replace(/^ +upstream process-\d \{\n *\}\n/gm, '')
    .replace('listen 4010;', `listen 127.0.0.1:${port};`)
    .replaceAll(' /tmp/', ` ${temporary(`${port}-`)}`)
  const file = temporary(`${port}.conf`)
  writeFileSync(file, text)
  const { pid, stop } = await startServer(['nginx', '-c', file, '-g', 'daemon off;'], { port })
  const workers = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
  return { port, pids: [pid, ...workers], stop }
}

/** The points of a server on the ring of `hash … consistent`, as nginx calculates them. */
function pointsOf(server, number) {
  const base = crc32(server.replace(':', '\0'))
  const previous = Buffer.alloc(4)
  return Array.from({ length: 160 }, () => {
    const at = crc32(previous, base)
    previous.writeUInt32LE(at)
    return { at, number }
  })
}

/** Which of a number of processes of deploy/nginx.conf holds a name. */
export function ringOf(processes) {
  const points = Array.from({ length: processes }, (_, number) =>
    pointsOf(`emulator-${number}:4010`, number)
  ).flat()
  points.sort((a, b) => a.at - b.at)
  return name => {
    const at = crc32(name)
    return (points.find(point => point.at >= at) ?? points[0]).number
  }
}
