import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hasProjectFile } from '../../programs/project/find-project-file.ts'
import { readProject } from '../../programs/project/project-file.ts'
import type { InstalledPackages, InstallJob } from './install-job.ts'
import { planNodePackages } from './node-packages.ts'
import { removePackages, writePackageMarker } from './package-marker.ts'
import type { PackagePlan, PackagePlanDeps, PackagePlanOptions } from './package-plan.ts'
import { planPythonPackages } from './python-packages.ts'
import { type PackageInstallDeps, runPackageManager } from './run-package-command.ts'

/**
 * Installs the packages of the project in `folder` with its package manager: according to the lock
 * file of Node, or to the requirements of Python. Packages that the folder already contains are
 * removed first. If the packages to install have the marker `knownPackages`, nothing is installed,
 * because the caller has these packages. Throws PROJECT_INVALID, and INSTALL_FAILED with the last
 * output lines of the package manager.
 */
export async function installProgramPackages(
  deps: PackageInstallDeps,
  folder: string,
  job: Pick<InstallJob, 'ignoreScripts' | 'knownPackages' | 'registries'>,
): Promise<InstalledPackages> {
  const { knownPackages, ...options } = job
  const plan = await planPackages(deps, folder, options)
  if (plan === undefined) return 'none'
  const { packagesFolder, commands, hiddenFiles = [], marker, canReusePackages } = plan
  removePackages(folder, packagesFolder)
  if (canReusePackages && knownPackages === marker) return 'known'
  await withHiddenFiles(deps, { folder, names: hiddenFiles }, async () => {
    for (const command of commands) await runPackageManager(deps, command)
  })
  writePackageMarker(folder, { packagesFolder, marker })
  return 'installed'
}

/**
 * Returns the plan that installs the packages of a project. Returns undefined for a program without
 * packages. Throws PROJECT_INVALID and INSTALL_FAILED.
 */
export async function planPackages(
  deps: PackagePlanDeps,
  folder: string,
  options: PackagePlanOptions,
): Promise<PackagePlan | undefined> {
  const project = hasProjectFile(folder) ? readProject(folder) : undefined
  return project?.runtime === 'python'
    ? planPythonPackages(deps, project, options)
    : planNodePackages(folder, options)
}

/**
 * Runs a function while the files `names` of a folder are hidden in another folder. Skips files
 * that do not exist.
 */
async function withHiddenFiles(
  { scratch }: Pick<PackageInstallDeps, 'scratch'>,
  { folder, names }: { readonly folder: string; readonly names: readonly string[] },
  run: () => Promise<void>,
): Promise<void> {
  const existingNames = names.filter(name => existsSync(join(folder, name)))
  const hidingFolder = mkdtempSync(join(scratch, 'hidden-'))
  try {
    for (const name of existingNames) renameSync(join(folder, name), join(hidingFolder, name))
    await run()
    for (const name of existingNames) renameSync(join(hidingFolder, name), join(folder, name))
  } finally {
    rmSync(hidingFolder, { recursive: true, force: true })
  }
}
