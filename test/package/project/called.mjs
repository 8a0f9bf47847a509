/** The command that `commerce-emulator exec` runs. */
import { call } from './call.mjs'

process.stdout.write(
  `status ${await call(process.env.COMMERCE_BASE_URL, process.env.COMMERCE_API_KEY)}\n`
)
