/** `commerce-emulator healthcheck`: asks a running emulator whether it is ready; for the image's HEALTHCHECK. */

/** Answers whether the emulator at the port is ready, and says why not. `host` is the address that the emulator is bound to. */
export async function healthcheck({ port, host }: { port: number; host: string }, write: (line: string) => void): Promise<boolean> {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  const url = `http://${reachable}:${port}/_control/health`
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(3000) })
    write(`${url} answered ${answer.status}: ${await answer.text()}`)
    return answer.ok
  } catch (error) {
    write(`${url} did not answer: ${((error as Error).cause as Error | undefined)?.message ?? (error as Error).message}`)
    return false
  }
}
