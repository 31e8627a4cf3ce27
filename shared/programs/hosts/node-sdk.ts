import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isRecord } from '../is-record.ts'
import { createError } from '../../errors/error.ts'

/** The SDK that is installed with a program. */
export interface NodeSdk {
  /** The module that runs a program. */
  readonly runner: string
  /** The folder of the SDK's package. '' if the runner belongs to another package. */
  readonly root: string
  /** The range of Node versions that the SDK requires. '': any. */
  readonly nodeRange: string
}

const defaultRunner = '@pulumi/pulumi/cmd/run'

/**
 * Finds the SDK by Node's resolution from the program's folder, so that the program's own copy
 * runs. `runner` names another module that runs programs, '' = that of the SDK. Throws
 * PROGRAM_SDK_MISSING. Throws PROGRAM_TYPESCRIPT_MIX when the SDK would load a TypeScript without
 * compiler API, because every program would then fail.
 */
export function findNodeSdk(directory: string, runner: string): NodeSdk {
  const runnerModule = runner === '' ? defaultRunner : runner
  const runnerFile = resolveFrom(directory, runnerModule)
  if (runnerFile === undefined) throw createMissingError(directory, runnerModule)
  const root = findPackageRoot(runnerFile, '@pulumi/pulumi')
  if (root === '') return { runner: runnerFile, root, nodeRange: '' }
  refuseTypescriptMix(root)
  const engines = readPackageJson(root)['engines']
  const declaredRange: unknown = isRecord(engines) ? engines['node'] : undefined
  const nodeRange = typeof declaredRange === 'string' ? declaredRange : ''
  return { runner: runnerFile, root, nodeRange }
}

/**
 * Returns the error for a missing SDK. If package.json does not declare the SDK, the error names
 * TypeScript 5 too, because TypeScript 7 lacks the compiler API that the SDK needs.
 */
function createMissingError(directory: string, runnerModule: string): Error {
  if (runnerModule !== defaultRunner)
    return createError(
      'PROGRAM_SDK_MISSING',
      `cannot find the module ${runnerModule} from ${directory}`,
    )
  const packages = declaresSdk(directory) ? '' : ' @pulumi/pulumi typescript@5'
  const text = `the Pulumi SDK is not installed: run \`npm install${packages}\` in ${directory}`
  return createError('PROGRAM_SDK_MISSING', text)
}

function declaresSdk(directory: string): boolean {
  const { dependencies, devDependencies } = readPackageJson(directory)
  return [dependencies, devDependencies].some(names => isRecord(names) && '@pulumi/pulumi' in names)
}

function refuseTypescriptMix(sdkFolder: string): void {
  const mainFile = resolveFrom(sdkFolder, 'typescript')
  const root = mainFile === undefined ? '' : findPackageRoot(mainFile, 'typescript')
  if (mainFile === undefined || root === '') return
  const { version: declaredVersion } = readPackageJson(root)
  const version = typeof declaredVersion === 'string' ? declaredVersion : ''
  // The main file of TypeScript 5 has 9 MB. Only that of a later version is read.
  if (Number(version.split('.', 1)[0]) < 7) return
  if (!readFileSync(mainFile, 'utf8').includes('createSourceFile'))
    throw createError(
      'PROGRAM_TYPESCRIPT_MIX',
      `the SDK in ${sdkFolder} would load typescript ${version} (${root}), which lacks the compiler API that the SDK needs`,
    )
}

function resolveFrom(directory: string, module: string): string | undefined {
  try {
    return createRequire(join(directory, 'package.json')).resolve(module)
  } catch {
    return undefined
  }
}

function findPackageRoot(file: string, name: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && readPackageJson(folder)['name'] === name)
      return folder
  }
  return ''
}

function readPackageJson(folder: string): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isRecord(content) ? content : {}
  } catch {
    return {}
  }
}
