import { Command, CommanderError } from 'commander'
import { createError } from '../../shared/errors/error.ts'
import { reportFailure } from '../session/report-failure.ts'
import { declareCommands } from './declare-commands.ts'
import { flagsOf, refuseUnsupportedOptions } from './flags.ts'
import type { Attach } from './handler.ts'
import { normalizeSwitches } from './normalize-switches.ts'
import { formatVersion } from '../session/format-version.ts'
import type { Io } from '../session/io.ts'
import type { GlobalOptions } from '../session/session.ts'
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
  const plainArgs = omitVerbosityLevels(args)
  // SDKs request the version before each command. So this branch is fast: it declares no commands.
  if (args[0] === '--version' || (args[0] === 'version' && args.length === 1)) {
    io.stdout.write(`${formatVersion(io.env)}\n`)
    return 0
  }
  const result = { exitCode: 0, help: '' }
  const root = createRoot(io, { tools, result, firstArgument: plainArgs[0] })
  if (args[0] === '__complete') {
    const { printCandidates } = await import('../completion/complete.ts')
    const { createCliSession } = await loadSessions()
    await printCandidates(root, args.slice(1), options =>
      createCliSession(io, tools, { ...completionOptions, ...withoutUndefinedOptions(options) }),
    )
    return 0
  }
  try {
    await root.parseAsync([...normalizeSwitches(root, plainArgs)], { from: 'user' })
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
      plainArgs.includes('-v') || plainArgs.includes('--verbose'),
    )
  }
}

/** Loads the sessions, which help and the version do not need. */
const loadSessions = () => import('../session/session.ts')

/** Creates the root command, whose attached handlers run in a session of this command line. */
function createRoot(
  io: Io,
  {
    tools,
    result,
    firstArgument,
  }: {
    readonly tools: Tools
    readonly result: { exitCode: number; help: string }
    readonly firstArgument: string | undefined
  },
): Command {
  const root = new Command('antichain').exitOverride().configureOutput({
    writeOut: text => io.stdout.write(text),
    writeErr: text => {
      result.help = text
    },
  })
  const attach: Attach = (command, loadHandler, unsupported = []) =>
    command.action(async () => {
      refuseUnsupportedOptions(command, unsupported)
      const { createCliSession } = await loadSessions()
      const session = createCliSession(io, tools, readGlobalOptions(command))
      try {
        const handler = await loadHandler()
        result.exitCode = await handler(session, flagsOf(command), command.args)
      } finally {
        await session.close()
      }
    })
  return declareCommands(root, attach, firstArgument)
}

/** The options of a session that completes a command line. */
const completionOptions: GlobalOptions = { nonInteractive: true, color: 'never', verbose: false }

function withoutUndefinedOptions({
  cwd,
  stack,
}: {
  readonly cwd: string | undefined
  readonly stack: string | undefined
}): Pick<GlobalOptions, 'cwd' | 'stack'> {
  return { ...(cwd === undefined ? {} : { cwd }), ...(stack === undefined ? {} : { stack }) }
}

function readGlobalOptions(command: Command): GlobalOptions {
  const flags = flagsOf(command)
  const cwd = flags.text('cwd')
  const stack = flags.text('stack')
  const color = flags.text('color')
  return {
    ...withoutUndefinedOptions({ cwd, stack }),
    nonInteractive: flags.isSet('nonInteractive'),
    color: color === 'always' || color === 'never' ? color : 'auto',
    verbose: flags.isSet('verbose'),
  }
}

function usageErrorOf(thrown: CommanderError): Error {
  return createError('CLI_USAGE', thrown.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '))
}

/**
 * Omits the level of Pulumi's `-v <level>`, because `-v` is a switch here. The arguments after `--`
 * belong to another program, and stay.
 */
function omitVerbosityLevels(args: readonly string[]): readonly string[] {
  const dashes = args.indexOf('--')
  return args.flatMap((arg, index) => {
    if (dashes >= 0 && index >= dashes) return [arg]
    if (/^(-v=?|--verbose=)\d+$/.test(arg)) return ['-v']
    const previousArg = args[index - 1]
    return /^\d+$/.test(arg) && (previousArg === '-v' || previousArg === '--verbose') ? [] : [arg]
  })
}
