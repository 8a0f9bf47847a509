/** commerce-emulator in a container of its own, for as long as the tests run. */
import { GenericContainer, Wait } from 'testcontainers'

const IMAGE = process.env.COMMERCE_IMAGE ?? 'ghcr.io/commerce-emulator/commerce-emulator:0.1.0'
const PORT = 4010

/** Starts the emulator; `url` is its origin, `stop` removes the container. */
export async function startCommerce({ scenario = 'default' } = {}) {
  const container = await new GenericContainer(IMAGE)
    .withExposedPorts(PORT)
    .withEnvironment({ SCENARIO: scenario })
    .withWaitStrategy(Wait.forHttp('/_control/health', PORT))
    .start()
  return { url: `http://${container.getHost()}:${container.getMappedPort(PORT)}`, stop: () => container.stop() }
}
