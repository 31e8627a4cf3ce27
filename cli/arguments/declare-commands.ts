import { type Command, Option } from 'commander'
import { declareConfig } from './declare-config.ts'
import { declareFederation } from './declare-federation.ts'
import { declareImport } from './declare-import.ts'
import { declareAudit, declareDriftList, declareLimits, declareQuery } from './declare-queries.ts'
import { declareDeployments } from './declare-deployments.ts'
import { declareOperations } from './declare-operations.ts'
import { declarePackage } from './declare-package.ts'
import { declarePlatform } from './declare-platform.ts'
import { declarePlugin } from './declare-plugin.ts'
import { declareRegistry } from './declare-registry.ts'
import { declarePolicy } from './declare-policy.ts'
import { declareProject } from './declare-project.ts'
import { declareProvider } from './declare-provider.ts'
import { declareRemote } from './declare-remote.ts'
import { declareStack } from './declare-stack.ts'
import { declareState } from './declare-state.ts'
import { declareTriggers } from './declare-triggers.ts'
import { createError } from '../../shared/errors/error.ts'
import { addExamples } from './examples.ts'
import { collectValues, declareUnsupportedOptions, refuseUnsupportedOptions } from './flags.ts'
import { type Attach, declareUnsupportedCommands } from './handler.ts'
import { groupedHelp, groupOptions } from './option-groups.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'

/**
 * The values of --color. With `raw`, Pulumi prints its color markup as text. Antichain has no such
 * markup.
 */
const colorChoices = ['always', 'never', 'raw', 'auto']

/** Parses the value of --color. Throws CLI_USAGE in the words that Automation APIs recognize. */
function parseColor(text: string): string {
  if (colorChoices.includes(text)) return text === 'raw' ? 'never' : text
  throw createError(
    'CLI_USAGE',
    `unsupported color option: '${text}'. Supported values are: ${colorChoices.join(', ')}`,
  )
}

/** The declaration of some commands. `names`: the commands and their aliases. */
interface CommandDeclaration {
  readonly names: readonly string[]
  readonly declare: (root: Command, attach: Attach) => void
}

/** A section of the help of the root command. */
interface CommandSection {
  readonly heading: string
  readonly declarations: readonly CommandDeclaration[]
}

const createDeclaration = (
  names: string,
  declare: CommandDeclaration['declare'],
): CommandDeclaration => ({ names: names.split(' '), declare })

/** The sections of the help of the root command, in their order. */
export const commandSections: readonly CommandSection[] = [
  {
    heading: 'Deployments:',
    declarations: [
      createDeclaration('up update watch preview pre refresh destroy down dn', declareOperations),
      createDeclaration('resume serve cancel redrive deployment', declareDeployments),
      createDeclaration('import', declareImport),
    ],
  },
  {
    heading: 'Stacks:',
    declarations: [
      createDeclaration('stack', declareStack),
      createDeclaration('config', declareConfig),
      createDeclaration('state', declareState),
      createDeclaration('limit', declareLimits),
      createDeclaration('query', declareQuery),
      createDeclaration('drift', declareDriftList),
    ],
  },
  {
    heading: 'Servers and installations:',
    declarations: [
      createDeclaration('platform', declarePlatform),
      createDeclaration('login logout whoami console org deploy token', declareRemote),
      createDeclaration('federation', declareFederation),
      createDeclaration('audit', declareAudit),
    ],
  },
  {
    heading: 'Projects and plugins:',
    declarations: [
      createDeclaration(
        'new create setup convert project install gen-completion completion gen-man version about doctor',
        declareProject,
      ),
      createDeclaration('plugin', declarePlugin),
      createDeclaration('registry', declareRegistry),
      createDeclaration('package', declarePackage),
      createDeclaration('policy', declarePolicy),
      createDeclaration('provider', declareProvider),
    ],
  },
  {
    heading: 'Automation:',
    declarations: [createDeclaration('webhook schedule notification', declareTriggers)],
  },
]

/**
 * Declares the options and commands of the command line on its root command, and returns the root.
 * `attachHandler` makes a command run its handler. Commands inherit the settings of the root, such
 * as the format of the help. `firstArgument`: the first argument of the command line. If it is a
 * command, only the commands of its declaration are declared, because all of them take 20 ms.
 */
export function declareCommands(root: Command, attachHandler: Attach, firstArgument = ''): Command {
  root
    .description('Deploy Pulumi programs durably and in parallel')
    .option('-C, --cwd <folder>', 'Run as if started in this folder')
    .option('-s, --stack <name>', 'Stack to use (default: the selected stack)', collectValues)
    .option('--non-interactive', 'Never prompt')
    .addOption(
      new Option('--color <when>', 'Use colors in the output')
        .choices(colorChoices)
        .argParser(parseColor)
        .default('auto'),
    )
    .option('-v, --verbose', 'Print more details and stack traces')
    .addOption(new Option('-e, --emoji', 'No effect').hideHelp())
    .addOption(new Option('--logflow', 'No effect').hideHelp())
    .addOption(new Option('--memprofilerate <rate>', 'No effect').hideHelp())
    .addOption(new Option('--logtostderr', 'Write the log to stderr (always enabled)').hideHelp())
    .helpOption('-h, --help', 'Show this help')
    .helpCommand('help [command]', 'Show help for a command')
    .configureHelp(groupedHelp)
  addExamples(root).addHelpText('after', '\nRun `antichain --version` to print the version.')
  declareUnsupportedOptions(root, unsupportedOptions.root).hook('preAction', () =>
    refuseUnsupportedOptions(root, unsupportedOptions.root),
  )
  const attach: Attach = (command, loadHandler, unsupported = []) => {
    groupOptions(command)
    declareUnsupportedOptions(addExamples(command), unsupported)
    return attachHandler(command, loadHandler, unsupported)
  }
  const needsAll = isEveryNeeded(firstArgument)
  for (const { heading, declarations } of commandSections) {
    root.commandsGroup(heading)
    for (const { names, declare } of declarations)
      if (needsAll || names.includes(firstArgument)) declare(root, attach)
  }
  declareUnsupportedCommands(root, unsupportedCommands.root)
  return root
}

/** Reports whether a command line may need every command. `gen-man` describes all commands. */
function isEveryNeeded(firstArgument: string): boolean {
  const isCommand = commandSections.some(({ declarations }) =>
    declarations.some(({ names }) => names.includes(firstArgument)),
  )
  return !isCommand || firstArgument === 'gen-man'
}
