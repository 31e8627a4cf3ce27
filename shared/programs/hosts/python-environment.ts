import { existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { createError } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { findOnPath, isExecutable, runToEnd } from '../executables.ts'
import type { ProgramSource } from '../program.ts'
import { findInstalledEnvironment } from './installed-packages.ts'
import { readTextOption } from './runtime-option.ts'

/**
 * A Python interpreter, and the environment variables with which it finds the program's packages.
 */
export interface PythonEnvironment {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
}

/** The input of `resolvePythonEnvironment`. */
interface PythonEnvironmentInput {
  readonly processes: ProcessesPort
  readonly env: Readonly<Record<string, string>>
  readonly source: ProgramSource
}

/**
 * Returns the Python of a program. The environment that the installer created takes precedence, and
 * then the one of `poetry`, if that is the tool. Otherwise the virtual environment that the project
 * names is used, or else the one of `uv`. Other projects use the command of `findPythonCommand`.
 * Throws PROGRAM_LANGUAGE_MISSING if the environment or command is missing, and PROJECT_INVALID for
 * an unknown tool.
 */
export async function resolvePythonEnvironment(
  input: PythonEnvironmentInput,
): Promise<PythonEnvironment> {
  const { env, source } = input
  const folder =
    findInstalledEnvironment(source.projectFolder) ?? (await findEnvironmentFolder(input))
  return folder === undefined
    ? { command: findPythonCommand(env, source.programFolder), env }
    : activateEnvironment(folder, env)
}

/**
 * Returns the command of Python that PULUMI_PYTHON_CMD names, or else `python3` or `python` on the
 * PATH. Throws PROGRAM_LANGUAGE_MISSING.
 */
export function findPythonCommand(
  env: Readonly<Record<string, string>>,
  programFolder: string,
): string {
  const configuredCommand = env['PULUMI_PYTHON_CMD'] ?? ''
  const path = env['PATH'] ?? ''
  const commandNames = configuredCommand === '' ? ['python3', 'python'] : [configuredCommand]
  const command = commandNames
    .map(name => (name.includes('/') ? resolve(programFolder, name) : findOnPath(name, path)))
    .find(file => file !== undefined && isExecutable(file))
  if (command !== undefined) return command
  throw createError('PROGRAM_LANGUAGE_MISSING', describeMissingCommand(commandNames), {
    hint: 'Install Python 3.9 or later.',
  })
}

function describeMissingCommand(commandNames: readonly string[]): string {
  const [name = ''] = commandNames
  if (name.includes('/')) return `PULUMI_PYTHON_CMD names ${name}, which is not an executable file`
  return `${commandNames.join(' or ')} is not on PATH`
}

/**
 * Returns the folder of the virtual environment that the program must use. Returns undefined if the
 * program may use any Python. The folder need not exist, unless poetry manages it. Throws
 * PROJECT_INVALID for an unknown tool, and PROGRAM_LANGUAGE_MISSING without an environment of
 * poetry.
 */
async function findEnvironmentFolder(input: PythonEnvironmentInput): Promise<string | undefined> {
  const { source } = input
  const { projectFolder, programFolder } = source
  const virtualenv = readTextOption(source, 'virtualenv')
  const tool = readTextOption(source, 'toolchain').toLowerCase() || 'pip'
  if (!['pip', 'uv', 'poetry'].includes(tool))
    throw createError(
      'PROJECT_INVALID',
      `the runtime option \`toolchain\` is '${tool}'; use pip, poetry or uv`,
    )
  if (tool === 'poetry') return findPoetryFolder(input)
  if (virtualenv !== '') return resolve(projectFolder, virtualenv)
  return tool === 'uv'
    ? (findAbove(programFolder, '.venv') ?? join(projectFolder, '.venv'))
    : undefined
}

async function findPoetryFolder({
  processes,
  env,
  source,
}: PythonEnvironmentInput): Promise<string> {
  const command = findOnPath('poetry', env['PATH'] ?? '')
  if (command === undefined)
    throw createError('PROGRAM_LANGUAGE_MISSING', 'poetry is not on PATH', {
      hint: 'Install poetry, or set `toolchain: pip` in the runtime options of the project file.',
    })
  const args = ['env', 'info', '--path']
  const { stdout, stderr, code } = await runToEnd(processes, {
    command,
    args,
    env,
    cwd: source.programFolder,
  })
  if (code === 0 && stdout.trim() !== '') return stdout.trim()
  throw createError(
    'PROGRAM_LANGUAGE_MISSING',
    `poetry has no environment for the program: ${stderr}`,
    {
      hint: 'Run `poetry install` in the program folder.',
    },
  )
}

/** Returns the nearest path with a name, in a folder or in the folders above. */
function findAbove(startFolder: string, name: string): string | undefined {
  for (let folder = startFolder; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return join(folder, name)
    if (folder === dirname(folder)) return undefined
  }
}

/** Returns the environment that `activate` would set up. */
function activateEnvironment(
  folder: string,
  env: Readonly<Record<string, string>>,
): PythonEnvironment {
  const bin = join(folder, 'bin')
  const command = ['python', 'python3'].map(name => join(bin, name)).find(isExecutable)
  if (command === undefined)
    throw createError(
      'PROGRAM_LANGUAGE_MISSING',
      `${folder} is not a virtual environment of Python`,
      {
        hint: `Run \`python3 -m venv ${folder}\` and install the program's requirements there.`,
      },
    )
  const { PYTHONHOME: _home, ...otherVariables } = env
  const path = [bin, env['PATH'] ?? ''].join(delimiter)
  return { command, env: { ...otherVariables, VIRTUAL_ENV: folder, PATH: path } }
}
