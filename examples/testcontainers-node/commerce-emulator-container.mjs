/** commerce-emulator in a container of its own, shaped as the modules of Testcontainers are. */
import { AbstractStartedContainer, GenericContainer, Wait } from 'testcontainers'

const IMAGE = process.env.COMMERCE_IMAGE ?? 'ghcr.io/commerce-emulator/commerce-emulator:0.1.0'
const PORT = 4010

export class CommerceEmulatorContainer extends GenericContainer {
  /** @param {string} image */
  constructor(image = IMAGE) {
    super(image)
    this.withExposedPorts(PORT).withWaitStrategy(Wait.forHttp('/_control/health', PORT))
  }

  /**
   * The scenario to start with: one of the image's by name, or a file.
   * @param {string} scenario
   */
  withScenario(scenario) {
    if (!/\.(ya?ml|json)$/.test(scenario)) return this.withEnvironment({ SCENARIO: scenario })
    const target = `/scenarios/${scenario.split(/[\\/]/).at(-1)}`
    return this.withCopyFilesToContainer([{ source: scenario, target }]).withEnvironment({
      SCENARIO: target
    })
  }

  async start() {
    return new StartedCommerceEmulatorContainer(await super.start())
  }
}

export class StartedCommerceEmulatorContainer extends AbstractStartedContainer {
  /** The emulator's address. */
  getUrl() {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`
  }

  /** The base address of the API, for clients. */
  getBaseUrl() {
    return `${this.getUrl()}/next`
  }

  /** The address of the control API. */
  getControlUrl() {
    return `${this.getUrl()}/_control`
  }

  /** Goes back to the scenario's initial state. */
  async reset() {
    const { ok, status } = await fetch(`${this.getControlUrl()}/reset`, { method: 'POST' })
    if (!ok) throw new Error(`the reset failed with status ${status}`)
  }
}
