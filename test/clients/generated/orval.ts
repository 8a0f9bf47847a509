/**
 * orval with the document: `formUrlEncoded` names a function that writes forms, since the
 * built-in one drops metadata.
 */
import * as client from './client.js'
import { type Answer, session, withKey } from './session.js'

const answered = ({ status, data }: { status: number; data: unknown }): Answer => ({
  status,
  body: data
})

await session({
  listLocations: async query => answered(await client.listLocations(query, withKey)),
  listTickets: async query => answered(await client.listTickets(query, withKey)),
  createTransaction: async body => answered(await client.createTransaction(body)),
  createRefund: async body => answered(await client.createRefund(body, withKey)),
  updateLocation: async (id, body) => answered(await client.updateLocation(id, body, withKey))
})
