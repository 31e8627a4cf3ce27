import { createError } from '../../shared/errors/error.ts'
import { createProcesses } from '../../shared/platform/system/processes.ts'
import { findOnPath, runToEnd } from '../../shared/programs/executables.ts'
import { resolvePythonEnvironment } from '../../shared/programs/hosts/python-environment.ts'
import { locateProgram } from '../../shared/programs/project/project-file.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { definedVariablesOf } from '../plugins/plugin-command-tools.ts'
import type { CliSession } from '../session/session.ts'

/** The command of a language, and its version. */
export interface RuntimeVersion {
  readonly language: string
  readonly executable: string
  readonly version: string
}

const commands: ReadonlyMap<string, readonly [command: string, argument: string]> = new Map([
  ['nodejs', ['node', '--version']],
  ['go', ['go', 'version']],
])

const timeoutMs = 10_000

/**
 * Returns the command that runs programs of a project's language, and its version. For a language
 * other than Node, Python and Go, the command is its host, and the version is ''. Throws
 * PROGRAM_LANGUAGE_MISSING.
 */
export async function findRuntimeVersion(
  session: Pick<CliSession, 'io' | 'cwd'>,
  project: Project,
): Promise<RuntimeVersion> {
  const { runtime } = project
  const env = definedVariablesOf(session)
  const processes = createProcesses()
  try {
    const [name, argument] = commands.get(runtime) ?? [`pulumi-language-${runtime}`, '']
    const executable =
      runtime === 'python'
        ? await findPython(project, { processes, env })
        : findOnPath(name, env['PATH'] ?? '')
    if (executable === undefined)
      throw createError('PROGRAM_LANGUAGE_MISSING', `${name} is not on PATH`)
    if (argument === '' && runtime !== 'python')
      return { language: runtime, executable, version: '' }
    const request = { command: executable, args: [argument || '--version'], cwd: session.cwd, env }
    const { stdout } = await runToEnd(processes, request, timeoutMs)
    const version = /\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()
    return { language: runtime, executable, version }
  } finally {
    await processes.close()
  }
}

async function findPython(
  project: Project,
  deps: Pick<Parameters<typeof resolvePythonEnvironment>[0], 'processes' | 'env'>,
): Promise<string> {
  const { root: projectFolder, runtime, runtimeOptions } = project
  const source = { runtime, runtimeOptions, projectFolder, ...locateProgram(project) }
  return (await resolvePythonEnvironment({ ...deps, source })).command
}
