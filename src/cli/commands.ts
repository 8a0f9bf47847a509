/** The table of commands, in the order of the help. */
import type { CommandSpec } from './command.js'
import { CHECK } from './commands/check.js'
import { EXEC, RECORD } from './commands/exec.js'
import { HEALTHCHECK } from './commands/healthcheck.js'
import { JUDGE } from './commands/judge.js'
import { LISTS } from './commands/lists.js'
import { MCP } from './commands/mcp.js'
import { NEW } from './commands/new.js'
import { OPENAPI } from './commands/openapi.js'
import { REPRO } from './commands/repro.js'
import { START } from './commands/start.js'
import { VALIDATE } from './commands/validate.js'

export const COMMANDS: Readonly<Record<string, CommandSpec>> = {
  start: START,
  new: NEW,
  validate: VALIDATE,
  check: CHECK,
  exec: EXEC,
  record: RECORD,
  judge: JUDGE,
  repro: REPRO,
  mcp: MCP,
  openapi: OPENAPI,
  ...LISTS,
  healthcheck: HEALTHCHECK
}

/** The other commands are under More. */
export const FIRST_COMMANDS = ['start', 'new', 'validate', 'check', 'exec', 'openapi']
