import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { DeployError, createError } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { requireProjectStack } from '../operations/operation-request.ts'
import { runOperation } from '../operations/run-operation.ts'
import { reportFailure } from '../session/report-failure.ts'
import { type CliSession, createCliSession } from '../session/session.ts'
import { createFileWatcher } from '../watch/file-watcher.ts'

/**
 * `watch`: deploys the stack without preview and confirmation, and again whenever files of the
 * program change. A failed deployment is reported, and the next change is awaited. Ctrl-C cancels a
 * running deployment, as it does with `up`, and ends the command. Throws CLI_USAGE for a missing
 * path, DEPLOYMENT_CANCELLED, and the errors of a missing project or stack.
 */
export const watchProgram: Handler = async (session, flags) => {
  const { stack } = await requireProjectStack(session, flags)
  const paths = flags.list('path').map(path => resolve(session.cwd, path))
  const roots = paths.length > 0 ? paths : [session.requireProject().root]
  const missingPath = roots.find(path => !existsSync(path))
  if (missingPath !== undefined)
    throw createError('CLI_USAGE', `the path to watch does not exist: ${missingPath}`)
  const stop = new AbortController()
  const removeInterruptHandler = session.io.onInterrupt(() => stop.abort())
  const watcher = createFileWatcher(roots)
  const names = roots.map(path => relative(session.cwd, path) || '.').join(', ')
  session.printToStderr(`Watching ${names}; press Ctrl-C to stop.`)
  try {
    await deployOnce(session, flags)
    while (!stop.signal.aborted) {
      const changedPaths = await watcher.waitForChanges(stop.signal)
      if (changedPaths.length === 0) break
      session.printToStderr(describeChange(session, changedPaths))
      await deployOnce(session, flags)
    }
    session.printToStderr(`Stopped watching '${stackPartsOf(stack).stack}'.`)
    return 0
  } finally {
    watcher.close()
    removeInterruptHandler()
  }
}

/** Runs one deployment with the current project file, and reports its failure. */
async function deployOnce(session: CliSession, flags: Flags): Promise<void> {
  const color = flags.text('color')
  const stack = flags.text('stack')
  const currentSession = createCliSession(session.io, session.tools, {
    cwd: session.cwd,
    verbose: session.verbose,
    nonInteractive: true,
    color: color === 'always' || color === 'never' ? color : 'auto',
    ...(stack === undefined ? {} : { stack }),
  })
  try {
    await runOperation(currentSession, skipPreview(flags), { command: 'up', previewOnly: false })
  } catch (thrown) {
    if (!(thrown instanceof DeployError) || endsWatch(thrown)) throw thrown
    reportFailure(thrown, session.io.stderr, session.verbose)
  } finally {
    await currentSession.close()
  }
}

/** Reports whether an error ends the command, because no change of a file can correct it. */
function endsWatch({ code }: DeployError): boolean {
  return code === 'DEPLOYMENT_CANCELLED' || code === 'CLI_USAGE'
}

function skipPreview(flags: Flags): Flags {
  return { ...flags, isSet: name => name === 'skipPreview' || flags.isSet(name) }
}

function describeChange({ cwd }: CliSession, paths: readonly string[]): string {
  const [firstPath = ''] = paths
  const moreText = paths.length > 1 ? ` and ${paths.length - 1} more` : ''
  return `Changed: ${relative(cwd, firstPath)}${moreText}. Deploying.`
}
