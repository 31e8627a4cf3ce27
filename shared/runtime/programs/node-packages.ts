import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { createError } from '../../errors/error.ts'
import { nodeLockFiles, type NodePackageManager } from './node-lock-files.ts'
import { nodePackagesFolder } from './package-marker.ts'
import type { PackagePlan, PackagePlanOptions } from './package-plan.ts'
import { explainRegistryRefusal } from './registries/explain-registry-refusal.ts'
import type { PackageRegistry } from './registries/package-registry.ts'
import {
  createNpmSettings,
  findGuardedRegistry,
  selectRegistries,
} from './registries/registry-settings.ts'

/**
 * The arguments that make each supported package manager obey its lock file. The image of the
 * generator has no bun.
 */
const lockedInstallArgs: Readonly<Partial<Record<NodePackageManager, readonly string[]>>> = {
  npm: ['ci', '--no-audit', '--no-fund'],
  pnpm: ['install', '--frozen-lockfile'],
  yarn: ['install', '--frozen-lockfile'],
}
/** The supported package managers, by the program's lock file. */
const managers = nodeLockFiles.flatMap(([lockFile, command]) => {
  const args = lockedInstallArgs[command]
  return args === undefined ? [] : [{ lockFile, command, args }]
})
/** The option of every supported package manager that skips all scripts. */
const ignoreScriptsOption = '--ignore-scripts'

/**
 * The scripts of the program itself that an installation runs. If a program has one of them, its
 * packages are not reused, because the script may write any files.
 */
const programScripts = [
  'preinstall',
  'install',
  'postinstall',
  'prepublish',
  'preprepare',
  'prepare',
]

const packageForm = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  scripts: z.record(z.string(), z.string()).default({}),
})

/**
 * Returns the plan that installs the packages of a Node program according to its lock file. The
 * packages of a program with one of `programScripts` cannot be reused, unless scripts are ignored.
 * With a registry whose credential is guarded (`findGuardedRegistry`), no code of the program or of
 * a package runs. Returns undefined for a program without packages. Throws INSTALL_FAILED.
 */
export function planNodePackages(
  folder: string,
  options: PackagePlanOptions,
): PackagePlan | undefined {
  const text = readIfExists(join(folder, 'package.json'))
  if (text === undefined) return undefined
  const { dependencies, devDependencies, scripts } = parsePackageJson(text)
  const manager = managers.find(({ lockFile }) => existsSync(join(folder, lockFile)))
  if (manager === undefined) {
    if (Object.keys({ ...dependencies, ...devDependencies }).length === 0) return undefined
    const names = managers.map(({ lockFile }) => lockFile).join(', ')
    throw createError(
      'INSTALL_FAILED',
      `the program has a package.json with dependencies but no lock file (${names})`,
      { hint: 'Commit the lock file of your package manager next to the package.json.' },
    )
  }
  const { lockFile, command, args } = manager
  const registries = selectRegistries(options.registries ?? [], 'npm')
  const guardedArgs = createGuardedArgs(findGuardedRegistry(registries), command, folder)
  const ignoreScripts = options.ignoreScripts || guardedArgs.length > 0
  const scriptArgs = ignoreScripts ? [ignoreScriptsOption] : []
  const hash = createHash('sha256')
    .update(readFileSync(join(folder, lockFile)))
    .update(text)
  const [node] = process.versions.node.split('.')
  const runtime = `node ${node} ${process.platform} ${process.arch}`
  const addresses = registries.map(({ address }) => address)
  const marker = JSON.stringify([
    ...[command, hash.digest('hex'), runtime, ...scriptArgs, ...addresses],
  ])
  const canReusePackages =
    ignoreScripts || !programScripts.some(name => scripts[name] !== undefined)
  return {
    packagesFolder: nodePackagesFolder,
    commands: [
      {
        command,
        args: [...args, ...scriptArgs, ...guardedArgs],
        cwd: folder,
        ...createNpmSettings(registries),
        ...(command === 'npm' ? npmOutputSettings : {}),
        explainFailure: output => explainRegistryRefusal(output, 'npm', registries),
      },
    ],
    hiddenFiles: guardedArgs.length > 0 ? ['.npmrc'] : [],
    marker,
    canReusePackages,
  }
}

/** Of npm's output, only lines about requests name a registry that requires a credential. */
const npmOutputSettings = {
  variables: { npm_config_loglevel: 'http' },
  hiddenOutput: /^npm http /,
} as const

/**
 * Returns the arguments of npm for a guarded registry. `--prefix` makes npm ignore the
 * configuration of a parent folder. Throws INSTALL_FAILED for pnpm and yarn, because files of the
 * program can make them run code in spite of `--ignore-scripts`.
 */
function createGuardedArgs(
  guardedRegistry: PackageRegistry | undefined,
  command: NodePackageManager,
  folder: string,
): readonly string[] {
  if (guardedRegistry === undefined) return []
  if (command === 'npm') return ['--prefix', folder]
  throw createError(
    'INSTALL_FAILED',
    `files of the program could make ${command} reveal the credential of the package registry ${guardedRegistry.name}`,
    { hint: `Use npm, or let an administrator store the registry with \`--run-scripts\`.` },
  )
}

function parsePackageJson(text: string): z.infer<typeof packageForm> {
  try {
    return packageForm.parse(JSON.parse(text))
  } catch {
    throw createError('INSTALL_FAILED', 'cannot read the package.json of the program')
  }
}

function readIfExists(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true)
    throw createError('INSTALL_FAILED', `${basename(path)} is a folder`)
  return stats === undefined ? undefined : readFileSync(path, 'utf8')
}
