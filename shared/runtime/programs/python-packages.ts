import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createError, hasCode, messageOf } from '../../errors/error.ts'
import { runToEnd } from '../../programs/executables.ts'
import { installedEnvironmentName } from '../../programs/hosts/installed-packages.ts'
import { findPythonCommand } from '../../programs/hosts/python-environment.ts'
import { readTextOption } from '../../programs/hosts/runtime-option.ts'
import type { Project } from '../../programs/project/project.ts'
import { locateProgram } from '../../programs/project/project-file.ts'
import type { PackagePlan, PackagePlanDeps, PackagePlanOptions } from './package-plan.ts'
import { readTextInside } from './read-text-inside.ts'
import { hasLocalPoetrySource, hasLocalUvSource } from './python-lock-files.ts'
import { readRequirements } from './python-requirements.ts'
import { explainRegistryRefusal } from './registries/explain-registry-refusal.ts'
import type { PackageRegistry } from './registries/package-registry.ts'
import {
  createPipSettings,
  findGuardedRegistry,
  selectRegistries,
} from './registries/registry-settings.ts'
import type { PackageCommand } from './run-package-command.ts'

/** The command and files of a Python package manager. */
interface PythonTool {
  readonly command: PackageCommand
  /** The texts that determine the packages. */
  readonly texts: readonly string[]
  /** Whether the packages depend on nothing but these texts. */
  readonly canReusePackages: boolean
  /** Whether the texts determine the versions of all packages. */
  readonly hasExactVersions: boolean
}

/** The input that all tools need. */
interface ToolInput {
  /** The folder of the project. */
  readonly root: string
  readonly programFolder: string
  /** The folder of the new virtual environment. */
  readonly environment: string
  /** The path of the interpreter. */
  readonly python: string
  /** The minor version of `python`, such as `3.13`. */
  readonly version: string
  readonly ignoreScripts: boolean
  /** The first registry whose credential no code of the program must read. */
  readonly guardedRegistry: PackageRegistry | undefined
}

/**
 * Returns the plan that installs the packages of a Python program into a new virtual environment.
 * The environment has a copy of the interpreter's executable, because archives contain no link that
 * leads outside. Without exact versions, the marker of the packages changes every day. Throws
 * INSTALL_FAILED and PROJECT_INVALID.
 */
export async function planPythonPackages(
  deps: PackagePlanDeps,
  project: Project,
  options: PackagePlanOptions,
): Promise<PackagePlan> {
  const { programFolder } = locateProgram(project)
  const environment = join(project.root, installedEnvironmentName)
  const { python, version } = await findInterpreter(deps, programFolder)
  const toolName = readTextOption(project, 'toolchain').toLowerCase() || 'pip'
  const createTool = pythonTools.get(toolName)
  if (createTool === undefined)
    throw createError(
      'PROJECT_INVALID',
      `the runtime option \`toolchain\` is '${toolName}'; use pip, poetry or uv`,
    )
  const registries = selectRegistries(options.registries ?? [], 'pip')
  const guardedRegistry = findGuardedRegistry(registries)
  if (guardedRegistry !== undefined) requirePip(toolName, guardedRegistry)
  const ignoreScripts = options.ignoreScripts || guardedRegistry !== undefined
  const { command, texts, canReusePackages, hasExactVersions } = createTool({
    root: project.root,
    programFolder,
    environment,
    python,
    version,
    ignoreScripts,
    guardedRegistry,
  })
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length}\n${text}`)
  const runtime = `python ${version} ${process.platform} ${process.arch}`
  const day = `day ${Math.floor(deps.clock.now() / dayMs)}`
  const markerOptions = [
    ...(ignoreScripts ? ['wheels only'] : []),
    ...(hasExactVersions ? [] : [day]),
    ...registries.map(({ address }) => address),
  ]
  const environmentSettings = { cwd: programFolder, variables: { VIRTUAL_ENV: environment } }
  const venvArgs = [isolatedOption, '-m', 'venv', '--copies', '--without-pip', environment]
  return {
    packagesFolder: installedEnvironmentName,
    commands: [
      { command: python, args: venvArgs, cwd: programFolder },
      withRegistries(command, registries),
      // Packing changes the times of files, so Python must not compare them with the compiled code.
      {
        command: join(environment, 'bin', 'python3'),
        args: [isolatedOption, '-c', compileScript, join(environment, 'lib')],
        ...environmentSettings,
      },
    ],
    marker: JSON.stringify([toolName, hash.digest('hex'), runtime, ...markerOptions]),
    canReusePackages,
  }
}

/** Throws INSTALL_FAILED for uv and poetry, whose settings in the program could run code. */
function requirePip(toolName: string, guardedRegistry: PackageRegistry): void {
  if (toolName === 'pip') return
  throw createError(
    'INSTALL_FAILED',
    `files of the program could make ${toolName} reveal the credential of the package registry ${guardedRegistry.name}`,
    { hint: hintOf(toolName) },
  )
}

function withRegistries(
  command: PackageCommand,
  registries: readonly PackageRegistry[],
): PackageCommand {
  const { variables, ...settings } = createPipSettings(registries)
  return {
    ...command,
    ...settings,
    variables: { ...command.variables, ...variables },
    explainFailure: output => explainRegistryRefusal(output, 'pip', registries),
  }
}

/**
 * The option with which Python imports no modules of the current folder, which is that of the
 * program. Otherwise the program could replace modules of Python and of pip, and run code in spite
 * of `ignoreScripts`.
 */
const isolatedOption = '-I'

const dayMs = 86_400_000

/**
 * Compiles all modules in a folder, in one process, because Lambda has no shared memory for several
 * processes. Files for another version of Python are not compiled.
 */
const compileScript =
  'import compileall, py_compile, sys; compileall.compile_dir(sys.argv[1], quiet=2, ' +
  'invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)'

/**
 * Returns the file and the minor version (`3.13`) of the interpreter. Python itself reports its
 * file, because a command on the PATH may be a script of a version manager, which writes files.
 * Throws INSTALL_FAILED.
 */
async function findInterpreter(
  { processes, env }: PackagePlanDeps,
  programFolder: string,
): Promise<{ readonly python: string; readonly version: string }> {
  const command = findPython(env, programFolder)
  const script = 'import sys; print(sys.executable); print("%d.%d" % sys.version_info[:2])'
  const { code, stdout, stderr } = await runToEnd(processes, {
    command,
    args: [isolatedOption, '-c', script],
    cwd: programFolder,
    env,
  })
  const [python = '', version = ''] = stdout.split('\n')
  if (code === 0 && version !== '') return { python, version }
  throw createError('INSTALL_FAILED', `${command} cannot run: ${stderr}`)
}

function findPython(env: Readonly<Record<string, string>>, programFolder: string): string {
  try {
    return findPythonCommand(env, programFolder)
  } catch (thrown) {
    if (!hasCode(thrown, 'PROGRAM_LANGUAGE_MISSING')) throw thrown
    throw createError('INSTALL_FAILED', messageOf(thrown), { cause: thrown })
  }
}

const pythonTools: ReadonlyMap<string, (input: ToolInput) => PythonTool> = new Map([
  ['pip', createPipTool],
  ['uv', createUvTool],
  ['poetry', createPoetryTool],
])

/** Returns the tool that installs `requirements.txt`, or else the package of `pyproject.toml`. */
function createPipTool({ root, programFolder, environment, ...input }: ToolInput): PythonTool {
  const files = ['requirements.txt', 'pyproject.toml']
  const file = files.find(name => existsSync(join(programFolder, name)))
  if (file === undefined)
    throw createError('INSTALL_FAILED', 'the program in Python has no requirements.txt', {
      hint: 'Add a requirements.txt with a line `pulumi` and one line for each further package.',
    })
  const isRequirements = file === 'requirements.txt'
  const requirements = isRequirements
    ? readRequirements(root, join(programFolder, file))
    : undefined
  const { editableLine } = requirements ?? {}
  if (editableLine !== undefined)
    throw createError('INSTALL_FAILED', `the requirement \`${editableLine}\` is editable`, {
      hint: 'Write the folder without `-e`, such as `./lib`: a deployment uses a copy of it.',
    })
  const buildingLine = isRequirements ? requirements?.buildingLine : file
  if (input.ignoreScripts && buildingLine !== undefined)
    throw createError(
      'INSTALL_FAILED',
      `pip could run code because of \`${buildingLine}\`, but no scripts may run here`,
      { hint: 'Name packages of an index that has wheels, and include only files of the project.' },
    )
  if (input.guardedRegistry !== undefined && requirements?.indexLine !== undefined)
    throw createError(
      'INSTALL_FAILED',
      `\`${requirements.indexLine}\` could send the credential of the package registry ${input.guardedRegistry.name} elsewhere`,
      {
        hint: 'Remove the line: an administrator stores registries with `antichain registry set`.',
      },
    )
  const args = [
    ...[isolatedOption, '-m', 'pip', '--python', join(environment, 'bin', 'python3'), 'install'],
    ...['--no-input', '--no-compile', '--no-cache-dir', '--disable-pip-version-check'],
    // Only the debug lines, on stdout, name an index that requires a credential.
    ...['--progress-bar', 'off', '-vv', '--no-warn-script-location'],
    ...(input.ignoreScripts ? ['--only-binary', ':all:'] : []),
    ...(isRequirements ? ['-r', file] : ['.']),
  ]
  return {
    command: { command: input.python, args, cwd: programFolder, hiddenOutput: 'stdout' },
    texts: requirements?.texts ?? [],
    canReusePackages: requirements?.hasLocalPackages === false,
    hasExactVersions: requirements?.hasHashes === true,
  }
}

/** Returns the tool that installs the lock file of uv, and the project if it is a package. */
function createUvTool(input: ToolInput): PythonTool {
  const { programFolder, environment, version, ignoreScripts } = input
  const project = readProjectText(input, 'uv')
  const lockFile = join(programFolder, 'uv.lock')
  const lock = readTextInside(input.root, lockFile)
  const args = [
    ...['sync', '--no-editable', '--no-progress'],
    ...(existsSync(lockFile) ? ['--locked'] : []),
    ...(ignoreScripts ? ['--no-build'] : []),
  ]
  const variables = {
    VIRTUAL_ENV: environment,
    UV_PROJECT_ENVIRONMENT: environment,
    // With the path of the interpreter, uv would replace the environment by one with links to it.
    UV_PYTHON: version,
    UV_PYTHON_DOWNLOADS: 'never',
    UV_LINK_MODE: 'copy',
  }
  return {
    command: { command: 'uv', args, cwd: programFolder, variables, hint: hintOf('uv') },
    texts: [project, lock ?? ''],
    canReusePackages:
      lock !== undefined && !hasLocalUvSource(lock) && !project.includes('[build-system]'),
    hasExactVersions: true,
  }
}

/** Returns the tool that installs the lock file of poetry, without the project itself. */
function createPoetryTool(input: ToolInput): PythonTool {
  const { programFolder, environment, ignoreScripts } = input
  const project = readProjectText(input, 'poetry')
  const lockFile = join(programFolder, 'poetry.lock')
  const lock = readTextInside(input.root, lockFile)
  const variables = {
    VIRTUAL_ENV: environment,
    ...(ignoreScripts ? { POETRY_INSTALLER_ONLY_BINARY: ':all:' } : {}),
  }
  const args = ['install', '--no-interaction', '--no-root', '--no-ansi']
  return {
    command: { command: 'poetry', args, cwd: programFolder, variables, hint: hintOf('poetry') },
    texts: [project, lock ?? ''],
    canReusePackages: lock !== undefined && !hasLocalPoetrySource(lock),
    hasExactVersions: true,
  }
}

function hintOf(tool: string): string {
  const exportCommand =
    tool === 'uv'
      ? 'uv export --no-hashes -o requirements.txt'
      : 'poetry export -o requirements.txt'
  return `Run \`${exportCommand}\`, and set \`toolchain: pip\` in the runtime options of the project file.`
}

function readProjectText({ root, programFolder }: ToolInput, tool: string): string {
  const text = readTextInside(root, join(programFolder, 'pyproject.toml'))
  if (text !== undefined) return text
  const hint = `Run \`${tool} init\` in the folder of the program.`
  const reason = `the program has the toolchain ${tool}, but no pyproject.toml`
  throw createError('INSTALL_FAILED', reason, { hint })
}
