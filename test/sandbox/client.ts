export {
  authorization,
  type Emulator,
  namesIn,
  type SandboxClient,
  sandboxClient
} from '../support/emulator.js'
