import { emulatedVersion } from '../shared/config/emulated-version.ts'
import { type Attach, refuseCommands } from './attach.ts'
import { Command, CommanderError, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { error } from '../shared/errors/error.ts'
import { declareConfig } from './declare-config.ts'
import { declareImport } from './declare-import.ts'
import { declareDeployments, declareOperations } from './declare-operations.ts'
import { declareState } from './declare-state.ts'
import { declarePlatform } from './declare-platform.ts'
import { declarePlugin } from './declare-plugin.ts'
import { declareRemote } from './declare-remote.ts'
import { declareStack } from './declare-stack.ts'
import { declareTriggers } from './declare-triggers.ts'
import { reportFailure } from './failure.ts'
import { declareMissing, flagsOf, refuseMissing } from './flags.ts'
import type { Io } from './io.ts'
import { missingCommands, missingOptions } from './missing.ts'
import { createSession, type GlobalOptions } from './session.ts'
import type { Tools } from './tools.ts'

/**
 * Runs one command line and answers the exit code. Nothing is thrown: every failure is said on
 * stderr. A wrong command line is CLI_USAGE.
 */
export async function runCommandLine(
  words: readonly string[],
  io: Io,
  tools: Tools,
): Promise<number> {
  const argv = withPlainSwitches(withoutVerbosityLevels(words))
  if (words[0] === '--version' || words[0] === 'version') {
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
    const failure = thrown instanceof CommanderError ? usageOf(thrown) : thrown
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
  declareMissing(root, missingOptions.root).hook('preAction', () =>
    refuseMissing(root, missingOptions.root),
  )
  const attach: Attach = (command, load, refused = []) =>
    declareMissing(command, refused).action(async () => {
      refuseMissing(command, refused)
      const session = createSession(io, tools, globalsOf(command))
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
  refuseCommands(root, missingCommands.root)
  return root
}

function globalsOf(command: Command): GlobalOptions {
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

function usageOf(thrown: CommanderError): Error {
  return error('CLI_USAGE', thrown.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '))
}

/**
 * `--protect=false` as `--no-protect`, and without what is so anyhow: these switches of Pulumi take
 * no word of their own.
 */
function withPlainSwitches(words: readonly string[]): readonly string[] {
  return words.flatMap(word => {
    const [, name, , value] = /^--(protect|generate-code)(=(.*))?$/.exec(word) ?? []
    if (name === undefined) return [word]
    if (value === undefined || /^(1|t|true)$/i.test(value)) return []
    return [/^(0|f|false)$/i.test(value) ? `--no-${name}` : word]
  })
}

/** Pulumi's `-v` takes a level; here it is a switch, so that the level is left out. */
function withoutVerbosityLevels(words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => {
    if (/^(-v=?|--verbose=)\d+$/.test(word)) return ['-v']
    const before = words[at - 1]
    return /^\d+$/.test(word) && (before === '-v' || before === '--verbose') ? [] : [word]
  })
}
