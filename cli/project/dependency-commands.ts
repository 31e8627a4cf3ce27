import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import { nodeLockFiles } from '../../shared/runtime/programs/node-lock-files.ts'

/** A program or policy pack whose dependencies are installed. */
export interface DependentProgram {
  readonly runtime: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** The folder of the project file. */
  readonly projectFolder: string
  /** The folder of the program, in `projectFolder`. */
  readonly programFolder: string
}

/** A command of a package manager. */
export interface DependencyCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

const nodeManagers: ReadonlySet<string> = new Set(nodeLockFiles.map(([, manager]) => manager))

/**
 * Returns the commands that install the dependencies of a program in Node, Python or Go, in order.
 * Returns no commands for YAML. Returns undefined for other languages, whose hosts install the
 * dependencies. Throws PROJECT_INVALID for an unknown package manager.
 */
export function chooseDependencyCommands(
  program: DependentProgram,
  pythonCommand: string,
): readonly DependencyCommand[] | undefined {
  const { runtime, programFolder } = program
  if (runtime === 'nodejs') return chooseNodeCommands(program)
  if (runtime === 'python') return choosePythonCommands(program, pythonCommand)
  if (runtime === 'go') {
    const moduleFolder = findFolderWith('go.mod', program)
    if (moduleFolder === undefined) return []
    const hasSums = existsSync(join(moduleFolder, 'go.sum'))
    return [{ command: 'go', args: ['mod', hasSums ? 'download' : 'tidy'], cwd: programFolder }]
  }
  // A project without a runtime has no program. A program in YAML needs only its plugins.
  return ['', 'yaml'].includes(runtime) ? [] : undefined
}

/** Returns the nearest folder with a file, from the program up to its project. */
function findFolderWith(
  name: string,
  { projectFolder, programFolder }: DependentProgram,
): string | undefined {
  for (let folder = programFolder; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder
    if (folder === projectFolder || folder === dirname(folder)) return undefined
  }
}

function chooseNodeCommands(program: DependentProgram): readonly DependencyCommand[] {
  const cwd = findFolderWith('package.json', program)
  if (cwd === undefined) return []
  const configuredManager = readText(program, 'packagemanager')
  if (configuredManager !== '' && !nodeManagers.has(configuredManager))
    throw createError(
      'PROJECT_INVALID',
      `the runtime option \`packagemanager\` is '${configuredManager}'; use npm, pnpm, yarn or bun`,
    )
  const lockedManager = nodeLockFiles.find(([file]) => existsSync(join(cwd, file)))?.[1]
  const command = configuredManager || lockedManager || 'npm'
  const npmOptions = ['--no-audit', '--no-fund', '--loglevel=error']
  return [{ command, args: ['install', ...(command === 'npm' ? npmOptions : [])], cwd }]
}

function choosePythonCommands(
  program: DependentProgram,
  pythonCommand: string,
): readonly DependencyCommand[] {
  const { projectFolder, programFolder: cwd } = program
  const tool = readText(program, 'toolchain').toLowerCase() || 'pip'
  if (tool === 'uv') return [{ command: 'uv', args: ['sync'], cwd }]
  if (tool === 'poetry') return [{ command: 'poetry', args: ['install', '--no-interaction'], cwd }]
  if (tool !== 'pip')
    throw createError(
      'PROJECT_INVALID',
      `the runtime option \`toolchain\` is '${tool}'; use pip, poetry or uv`,
    )
  const virtualenv = readText(program, 'virtualenv')
  const environmentFolder = resolve(projectFolder, virtualenv)
  const isMissing = virtualenv !== '' && !existsSync(join(environmentFolder, 'bin', 'python'))
  const command = virtualenv === '' ? pythonCommand : join(environmentFolder, 'bin', 'python')
  const files = ['requirements.txt', 'pyproject.toml']
  const file = files.find(name => existsSync(join(cwd, name)))
  const source = file === 'requirements.txt' ? ['-r', file] : ['-e', '.']
  return [
    ...(isMissing
      ? [{ command: pythonCommand, args: ['-m', 'venv', environmentFolder], cwd }]
      : []),
    ...(file === undefined
      ? []
      : [{ command, args: ['-m', 'pip', 'install', '--quiet', ...source], cwd }]),
  ]
}

function readText({ runtimeOptions }: DependentProgram, name: string): string {
  const value = runtimeOptions[name]
  return typeof value === 'string' ? value : ''
}
