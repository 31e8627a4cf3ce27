import { hasProjectFile, readProject } from '../../programs/project/project-file.ts'
import type { InstalledPackages, InstallJob } from './install-job.ts'
import { planNodePackages } from './node-packages.ts'
import { removePackages, writePackageMarker } from './package-marker.ts'
import type { PackagePlan, PackagePlanDeps } from './package-plan.ts'
import { planPythonPackages } from './python-packages.ts'
import { type PackageInstallDeps, runPackageManager } from './run-package-command.ts'

/**
 * Installs the packages of the project in `folder` with its package manager: according to the lock
 * file of Node, or to the requirements of Python. Packages that the folder already contains are
 * removed first. Nothing is installed if the installed packages would have the marker
 * `knownPackages`, because the caller has them. Throws PROJECT_INVALID, and INSTALL_FAILED with the
 * last output lines of the package manager.
 */
export async function installProgramPackages(
  deps: PackageInstallDeps,
  folder: string,
  job: Pick<InstallJob, 'ignoreScripts' | 'knownPackages'>,
): Promise<InstalledPackages> {
  const { ignoreScripts, knownPackages } = job
  const plan = await planPackages(deps, folder, ignoreScripts)
  if (plan === undefined) return 'none'
  const { packagesFolder, commands, marker, canReusePackages } = plan
  removePackages(folder, packagesFolder)
  if (canReusePackages && knownPackages === marker) return 'known'
  for (const command of commands) await runPackageManager(deps, command)
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
  ignoreScripts: boolean,
): Promise<PackagePlan | undefined> {
  const project = hasProjectFile(folder) ? readProject(folder) : undefined
  return project?.runtime === 'python'
    ? planPythonPackages(deps, project, ignoreScripts)
    : planNodePackages(folder, ignoreScripts)
}
