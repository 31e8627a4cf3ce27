/** The reference of the commands, rendered from their declarations. */
import { Command, Help, type Argument, type Option } from 'commander'
import { declareCommands } from '../../../cli/arguments/declare-commands.ts'
import { commandPathOf, listExamples } from '../../../cli/arguments/examples.ts'
import { unsupportedCommands } from '../../../cli/arguments/unsupported.ts'
import { formatCell } from './format-cell.ts'

/** Renders a page for each group of commands, by its path in the site. */
export function renderCommands(): ReadonlyMap<string, string> {
  const root = declareCommands(new Command('antichain'), command => command)
  const help = new Help()
  const groups = Map.groupBy(listVisibleCommands(root), command =>
    command.helpGroup().replace(/:$/, ''),
  )
  const pages = [...groups].map(([group, commands]) => {
    const sections = commands.flatMap(listCommands).map(command => renderCommand(command, help))
    const page = [`# Commands: ${group.toLowerCase()}`, introduction, ...sections].join('\n\n')
    return [`reference/commands-${group.toLowerCase().replaceAll(' ', '-')}.md`, page] as const
  })
  return new Map([...pages, ['reference/commands-of-all.md', renderCommon(root, help)]])
}

const introduction = `This page is generated from the declarations of the commands. Each command
also has the [common options](commands-of-all.md), and errors end it with
[these exit codes](../errors.md#exit-codes).`

/** Renders the options of all commands, and the commands that are refused. */
function renderCommon(root: Command, help: Help): string {
  const refused = Object.entries<string>(unsupportedCommands.root).map(
    ([name, hint]) => `| \`${name}\` | ${formatCell(hint)} |`,
  )
  const parts = [
    '# Commands: common options',
    'This page is generated from the declarations of the commands.',
    '## Options of every command',
    renderOptions(help.visibleOptions(root)),
    ...(refused.length === 0
      ? []
      : [`## Refused commands`, ['| Command | Substitute |', '|---|---|', ...refused].join('\n')]),
  ]
  return parts.join('\n\n')
}

function listVisibleCommands(parent: Command): readonly Command[] {
  return new Help().visibleCommands(parent).filter(command => command.name() !== 'help')
}

/** Lists a command and all commands below it. */
function listCommands(command: Command): readonly Command[] {
  return [command, ...listVisibleCommands(command).flatMap(listCommands)]
}

function renderCommand(command: Command, help: Help): string {
  const path = commandPathOf(command)
  const aliases = command.aliases().map(alias => `\`${alias}\``)
  const examples = listExamples(path).map(([args, purpose]) => `# ${purpose}\nantichain ${args}`)
  return [
    `## antichain ${path}`,
    sentenceOf(help.commandDescription(command)),
    `\`\`\`text\nantichain ${path} ${command.usage()}\n\`\`\``,
    ...(aliases.length === 0 ? [] : [`Other names: ${aliases.join(', ')}.`]),
    renderArguments(help.visibleArguments(command)),
    renderOptions(help.visibleOptions(command).filter(({ long }) => long !== '--help')),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n\n')}\n\`\`\``]),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

const sentenceOf = (text: string): string => (/[.:]$/.test(text) ? text : `${text}.`)

function renderArguments(commandArguments: readonly Argument[]): string {
  if (commandArguments.length === 0) return ''
  const rows = commandArguments.map(
    argument => `| \`${argument.name()}\` | ${formatCell(argument.description)} |`,
  )
  return ['| Argument | Meaning |', '|---|---|', ...rows].join('\n')
}

function renderOptions(options: readonly Option[]): string {
  if (options.length === 0) return ''
  const help = new Help()
  const rows = options.map(
    option => `| \`${option.flags}\` | ${formatCell(help.optionDescription(option))} |`,
  )
  return ['| Option | Meaning |', '|---|---|', ...rows].join('\n')
}
