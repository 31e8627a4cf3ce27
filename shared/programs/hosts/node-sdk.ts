import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isRecord } from '../is-record.ts'
import { error } from '../../errors/error.ts'

/** The SDK that is installed with a program. */
export interface NodeSdk {
  /** The module that runs a program. */
  readonly runner: string
  /** The folder of the package, '' when the runner is not the SDK's. */
  readonly root: string
  /** The range of Node versions that it requires, '' = any. */
  readonly engines: string
}

const defaultRunner = '@pulumi/pulumi/cmd/run'

/**
 * Finds the SDK by Node's resolution from the program's folder, so that the program's own copy
 * runs. `runner` is an alternative module. Throws PROGRAM_SDK_MISSING. Throws
 * PROGRAM_TYPESCRIPT_MIX when the SDK would load a TypeScript without compiler API, which fails
 * every program.
 */
export function findNodeSdk(directory: string, runner: string): NodeSdk {
  const wanted = runner === '' ? defaultRunner : runner
  const found = resolveFrom(directory, wanted)
  if (found === undefined)
    throw error('PROGRAM_SDK_MISSING', `cannot find the module ${wanted} from ${directory}`, {
      ...(isDeclared(directory) ? {} : { hint: sdkHint }),
    })
  const root = findPackageRoot(found, '@pulumi/pulumi')
  if (root === '') return { runner: found, root, engines: '' }
  refuseTypescriptMix(root)
  const engines = readPackage(root)['engines']
  const node: unknown = isRecord(engines) ? engines['node'] : undefined
  return { runner: found, root, engines: typeof node === 'string' ? node : '' }
}

/** The SDK needs the compiler API for every program, and TypeScript 7 has none. */
const sdkHint = 'Run `npm install @pulumi/pulumi typescript@5` in the program folder.'

function isDeclared(directory: string): boolean {
  const { dependencies, devDependencies } = readPackage(directory)
  return [dependencies, devDependencies].some(names => isRecord(names) && '@pulumi/pulumi' in names)
}

function refuseTypescriptMix(sdk: string): void {
  const main = resolveFrom(sdk, 'typescript')
  const root = main === undefined ? '' : findPackageRoot(main, 'typescript')
  if (main === undefined || root === '') return
  const { version: declaredVersion } = readPackage(root)
  const version = typeof declaredVersion === 'string' ? declaredVersion : ''
  const hasApi = readFileSync(main, 'utf8').includes('createSourceFile')
  if (Number(version.split('.', 1)[0]) >= 7 && !hasApi)
    throw error(
      'PROGRAM_TYPESCRIPT_MIX',
      `the SDK in ${sdk} would load typescript ${version} (${root}), which lacks the compiler API that the SDK needs`,
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
    if (existsSync(join(folder, 'package.json')) && readPackage(folder)['name'] === name)
      return folder
  }
  return ''
}

function readPackage(folder: string): Readonly<Record<string, unknown>> {
  try {
    const data: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isRecord(data) ? data : {}
  } catch {
    return {}
  }
}
