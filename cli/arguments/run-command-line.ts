import { emulatedVersion } from '../../shared/config/emulated-version.ts'
import { type Attach, declareUnsupportedCommands } from './handler.ts'
import { Command, CommanderError, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { error } from '../../shared/errors/error.ts'
import { declareConfig } from './declare-config.ts'
import { declareDeployment } from './declare-deployment.ts'
import { declareFederation } from './declare-federation.ts'
import { declareImport } from './declare-import.ts'
import { declareDeployments, declareOperations } from './declare-operations.ts'
import { declareLimits } from './declare-limits.ts'
import { declareQuery } from './declare-query.ts'
import { declareState } from './declare-state.ts'
import { declarePackage } from './declare-package.ts'
import { declarePlatform } from './declare-platform.ts'
import { declarePlugin } from './declare-plugin.ts'
import { declareProvider } from './declare-provider.ts'
import { declareRemote } from './declare-remote.ts'
import { declareStack } from './declare-stack.ts'
import { declareTriggers } from './declare-triggers.ts'
import { reportFailure } from '../session/report-failure.ts'
import { addExamples } from './examples.ts'
import { declareUnsupportedOptions, flagsOf, refuseUnsupportedOptions } from './flags.ts'
import { groupedHelp, groupOptions } from './option-groups.ts'
import type { Io } from '../session/io.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'
import { createCliSession, type GlobalOptions } from '../session/session.ts'
import type { Tools } from '../session/tools.ts'

/**
 * Runs one command line and returns the exit code. Throws nothing, and reports every failure on
 * stderr. An invalid command line is CLI_USAGE.
 */
export async function runCommandLine(
  args: readonly string[],
  io: Io,
  tools: Tools,
): Promise<number> {
  const normalizedArgs = normalizeSwitches(omitVerbosityLevels(args))
  if (args[0] === '--version' || args[0] === 'version') {
    const isPulumi = io.env['ANTICHAIN_CALLED'] === 'pulumi'
    io.stdout.write(`${isPulumi ? `v${emulatedVersion}` : manifest.version}\n`)
    return 0
  }
  const result = { exitCode: 0, help: '' }
  const root = declareCommands(io, tools, result)
  try {
    await root.parseAsync([...normalizedArgs], { from: 'user' })
    return result.exitCode
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') {
      // A group of commands without a command prints its help, as in Pulumi.
      io.stdout.write(result.help)
      return 0
    }
    const failure = thrown instanceof CommanderError ? usageErrorOf(thrown) : thrown
    return reportFailure(
      failure,
      io.stderr,
      normalizedArgs.includes('-v') || normalizedArgs.includes('--verbose'),
    )
  }
}

function declareCommands(
  io: Io,
  tools: Tools,
  result: { exitCode: number; help: string },
): Command {
  const root = new Command('antichain')
  root
    .description('Deploy Pulumi programs durably and in parallel')
    .option('-C, --cwd <folder>', 'Run as if started in this folder')
    .option('-s, --stack <name>', 'Stack to use (default: the selected stack)')
    .option('--non-interactive', 'Never prompt')
    .addOption(
      new Option('--color <when>', 'Use colors in the output')
        .choices(['always', 'never', 'auto'])
        .default('auto'),
    )
    .option('-v, --verbose', 'Print more details and stack traces')
    .addOption(new Option('--logtostderr', 'Write the log to stderr (always enabled)').hideHelp())
    .helpOption('-h, --help', 'Show help for a command')
    .helpCommand('help [command]', 'Show help for a command')
    .configureHelp(groupedHelp)
    .exitOverride()
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: text => {
        result.help = text
      },
    })
  addExamples(root).addHelpText('after', '\nRun `antichain --version` to print the version.')
  declareUnsupportedOptions(root, unsupportedOptions.root).hook('preAction', () =>
    refuseUnsupportedOptions(root, unsupportedOptions.root),
  )
  const attach: Attach = (command, loadHandler, unsupported = []) => {
    groupOptions(command)
    return declareUnsupportedOptions(addExamples(command), unsupported).action(async () => {
      refuseUnsupportedOptions(command, unsupported)
      const session = createCliSession(io, tools, readGlobalOptions(command))
      try {
        const handler = await loadHandler()
        result.exitCode = await handler(session, flagsOf(command), command.args)
      } finally {
        await session.close()
      }
    })
  }
  root.commandsGroup('Deployments:')
  declareOperations(root, attach)
  declareDeployments(root, attach)
  declareDeployment(root, attach)
  declareImport(root, attach)
  root.commandsGroup('Stacks:')
  declareStack(root, attach)
  declareConfig(root, attach)
  declareState(root, attach)
  declareLimits(root, attach)
  declareQuery(root, attach)
  root.commandsGroup('Servers and installations:')
  declarePlatform(root, attach)
  declareRemote(root, attach)
  declareFederation(root, attach)
  root.commandsGroup('Plugins:')
  declarePlugin(root, attach)
  declarePackage(root, attach)
  declareProvider(root, attach)
  root.commandsGroup('Automation:')
  declareTriggers(root, attach)
  declareUnsupportedCommands(root, unsupportedCommands.root)
  return root
}

function readGlobalOptions(command: Command): GlobalOptions {
  const flags = flagsOf(command)
  const cwd = flags.text('cwd')
  const stack = flags.text('stack')
  const color = flags.text('color')
  return {
    ...(cwd === undefined ? {} : { cwd }),
    ...(stack === undefined ? {} : { stack }),
    nonInteractive: flags.isSet('nonInteractive'),
    color: color === 'always' || color === 'never' ? color : 'auto',
    verbose: flags.isSet('verbose'),
  }
}

function usageErrorOf(thrown: CommanderError): Error {
  return error('CLI_USAGE', thrown.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '))
}

/** The switches that accept a value in Pulumi. The first two are on by default. */
const defaultSwitches = ['protect', 'generate-code']
const valuedSwitches = [...defaultSwitches, 'active', 'auto-remediate', 'delete-after-destroy']
const switchPattern = new RegExp(`^--(${valuedSwitches.join('|')})(=(.*))?$`)

/**
 * Rewrites switches that accept a value in Pulumi. `--protect=false` becomes `--no-protect`, and
 * `--active=true` becomes `--active`. A switch that is on by default is omitted when it is on.
 */
function normalizeSwitches(args: readonly string[]): readonly string[] {
  return args.flatMap(arg => {
    const [, name, , value = 'true'] = switchPattern.exec(arg) ?? []
    if (name === undefined) return [arg]
    if (/^(1|t|true)$/i.test(value)) return defaultSwitches.includes(name) ? [] : [`--${name}`]
    return [/^(0|f|false)$/i.test(value) ? `--no-${name}` : arg]
  })
}

/** Omits the level of Pulumi's `-v <level>`, because `-v` is a switch here. */
function omitVerbosityLevels(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (/^(-v=?|--verbose=)\d+$/.test(arg)) return ['-v']
    const previousArg = args[index - 1]
    return /^\d+$/.test(arg) && (previousArg === '-v' || previousArg === '--verbose') ? [] : [arg]
  })
}
