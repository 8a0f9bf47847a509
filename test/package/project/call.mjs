/** Sends a request as any client of the service does, and returns its status. */
export async function call(baseUrl, key) {
  const answer = await fetch(`${baseUrl}/locations?limit=1`, {
    headers: { authorization: `Basic ${btoa(`${key}:`)}` }
  })
  return answer.status
}
