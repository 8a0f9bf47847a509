/** `commerce-emulator completion SHELL`: a script that completes commands and options. */
import type { Command } from 'commander'

const longOf = ({ options }: Command) => options.map(({ long }) => long as string)
const wordsOf = ({ commands, registeredArguments: [argument] }: Command) => [
  ...commands.map(command => command.name()),
  ...(argument?.argChoices ?? [])
]
const startOf = ({ commands }: Command) => commands[0] as Command

/** For bash, and for zsh, which reads scripts of bash once it is told to. */
function bash(program: Command): string {
  const cases = program.commands.map(command => {
    const options = [...new Set([command, ...command.commands].flatMap(longOf))]
    return `    ${command.name()}) options="${[...options, '--help'].join(' ')}" words="${wordsOf(command).join(' ')}" ;;`
  })
  return `_commerce_emulator() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" options words
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) options="${[...longOf(startOf(program)), '--version', '--help'].join(' ')}" words="" ;;
  esac
  [[ "$COMP_CWORD" == 1 ]] && words="${wordsOf(program).join(' ')}"
  [[ "$cur" == -* ]] && words="$options"
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _commerce_emulator commerce-emulator
`
}

const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`

function fish(program: Command): string {
  const lineOf = (when: string, what: string, about: string) =>
    `complete -c commerce-emulator -n ${quoted(when)} ${what} -d ${quoted(about)}`
  const optionsOf = (command: Command, when: string) =>
    command.options.map(({ long, description, required }) =>
      lineOf(when, `-l ${long?.slice(2)}${required ? ' -r' : ''}`, description)
    )
  const [start, ...others] = program.commands as [Command, ...Command[]]
  const seen = (...commands: Command[]) =>
    `__fish_seen_subcommand_from ${commands.map(command => command.name()).join(' ')}`
  const lines = others.flatMap(command => [
    ...wordsOf(command).map(word => lineOf(seen(command), `-f -a ${word}`, word)),
    ...[command, ...command.commands].flatMap(one => optionsOf(one, seen(command)))
  ])
  return `${[
    ...program.commands.map(command =>
      lineOf('__fish_use_subcommand', `-f -a ${command.name()}`, command.description())
    ),
    ...lines,
    // the default command may be left out
    ...optionsOf(start, `not ${seen(...others)}`),
    ...['version', 'help'].map(word => `complete -c commerce-emulator -l ${word}`)
  ].join('\n')}\n`
}

export const COMPLETIONS: Readonly<Record<string, (program: Command) => string>> = {
  bash,
  // compinit once more would forget what other scripts complete
  zsh: program =>
    `(( \${+functions[compdef]} )) || { autoload -U +X compinit && compinit }\nautoload -U +X bashcompinit && bashcompinit\n${bash(program)}`,
  fish
}
