/** A sandbox of the emulator for each Jest worker, reset before each test. */
const { connect } = require('commerce-emulator')

/** Connects the tests of a file; `commerce.current` is the worker's sandbox. */
function useCommerce() {
  const commerce = { current: undefined }
  let emulator
  beforeAll(async () => {
    emulator = await connect({ url: process.env.COMMERCE_URL })
    commerce.current = emulator.sandbox(`worker-${process.env.JEST_WORKER_ID}`)
  })
  beforeEach(() => commerce.current.reset())
  afterAll(() => emulator?.close())
  return commerce
}

/** Opens a Ticket, which the API itself cannot, and returns its id. */
async function openTicket(commerce, reference = 'T-1') {
  const { tickets } = await commerce.current.records({
    tickets: [{ location: 'loc_bistro', reference }]
  })
  return tickets[0].id
}

module.exports = { useCommerce, openTicket }
