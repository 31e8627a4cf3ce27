import { emulatedVersion } from '../../shared/config/emulated-version.ts'
import { type Attach, declareUnsupportedCommands } from './attach-handler.ts'
import { Command, CommanderError, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { error } from '../../shared/errors/error.ts'
import { declareConfig } from './declare-config.ts'
import { declareImport } from './declare-import.ts'
import { declareDeployments, declareOperations } from './declare-operations.ts'
import { declareState } from './declare-state.ts'
import { declarePlatform } from './declare-platform.ts'
import { declarePlugin } from './declare-plugin.ts'
import { declareRemote } from './declare-remote.ts'
import { declareStack } from './declare-stack.ts'
import { declareTriggers } from './declare-triggers.ts'
import { reportFailure } from '../session/report-failure.ts'
import { declareUnsupported, flagsOf, refuseUnsupported } from './flags.ts'
import type { Io } from '../session/io.ts'
import { unsupportedCommands, unsupportedOptions } from './unsupported.ts'
import { createCliSession, type GlobalOptions } from '../session/session.ts'
import type { Tools } from '../session/tools.ts'

/**
 * Runs one command line and answers the exit code. Nothing is thrown: every failure is said on
 * stderr. A wrong command line is CLI_USAGE.
 */
export async function runCommandLine(
  args: readonly string[],
  io: Io,
  tools: Tools,
): Promise<number> {
  const argv = withPlainSwitches(withoutVerbosityLevels(args))
  if (args[0] === '--version' || args[0] === 'version') {
    const isPulumi = io.env['ANTICHAIN_CALLED'] === 'pulumi'
    io.stdout.write(`${isPulumi ? `v${emulatedVersion}` : manifest.version}\n`)
    return 0
  }
  const outcome = { exit: 0 }
  const root = declareAll(io, tools, outcome)
  try {
    await root.parseAsync([...argv], { from: 'user' })
    return outcome.exit
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    const failure = thrown instanceof CommanderError ? usageErrorOf(thrown) : thrown
    return reportFailure(failure, io.stderr, argv.includes('-v') || argv.includes('--verbose'))
  }
}

function declareAll(io: Io, tools: Tools, outcome: { exit: number }): Command {
  const root = new Command('antichain')
  root
    .description('Deploys Pulumi programs: journaled and in parallel.')
    .option('-C, --cwd <folder>', 'work as if started in this folder')
    .option('-s, --stack <name>', 'the stack to work on, instead of the selected one')
    .option('--non-interactive', 'never ask')
    .addOption(
      new Option('--color <when>', 'colours in the output')
        .choices(['always', 'never', 'auto'])
        .default('auto'),
    )
    .addHelpText('after', '\n`antichain --version` prints the version.')
    .option('-v, --verbose', 'say more; show stack traces')
    .addOption(new Option('--logtostderr', 'write the log to stderr, as it always is').hideHelp())
    .exitOverride()
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: () => {},
    })
  declareUnsupported(root, unsupportedOptions.root).hook('preAction', () =>
    refuseUnsupported(root, unsupportedOptions.root),
  )
  const attach: Attach = (command, load, refused = []) =>
    declareUnsupported(command, refused).action(async () => {
      refuseUnsupported(command, refused)
      const session = createCliSession(io, tools, readGlobalOptions(command))
      try {
        const handler = await load()
        outcome.exit = await handler(session, flagsOf(command), command.args)
      } finally {
        await session.close()
      }
    })
  declareOperations(root, attach)
  declareDeployments(root, attach)
  declareImport(root, attach)
  declareStack(root, attach)
  declareConfig(root, attach)
  declareState(root, attach)
  declarePlatform(root, attach)
  declareRemote(root, attach)
  declarePlugin(root, attach)
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
    nonInteractive: flags.is('nonInteractive'),
    color: color === 'always' || color === 'never' ? color : 'auto',
    verbose: flags.is('verbose'),
  }
}

function usageErrorOf(thrown: CommanderError): Error {
  return error('CLI_USAGE', thrown.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '))
}

/**
 * `--protect=false` as `--no-protect`, and without what is so anyhow: these switches of Pulumi take
 * no word of their own.
 */
function withPlainSwitches(args: readonly string[]): readonly string[] {
  return args.flatMap(word => {
    const [, name, , value] = /^--(protect|generate-code)(=(.*))?$/.exec(word) ?? []
    if (name === undefined) return [word]
    if (value === undefined || /^(1|t|true)$/i.test(value)) return []
    return [/^(0|f|false)$/i.test(value) ? `--no-${name}` : word]
  })
}

/** Pulumi's `-v` takes a level; here it is a switch, so that the level is left out. */
function withoutVerbosityLevels(args: readonly string[]): readonly string[] {
  return args.flatMap((word, at) => {
    if (/^(-v=?|--verbose=)\d+$/.test(word)) return ['-v']
    const before = args[at - 1]
    return /^\d+$/.test(word) && (before === '-v' || before === '--verbose') ? [] : [word]
  })
}
