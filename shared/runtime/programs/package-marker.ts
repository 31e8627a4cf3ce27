import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  installedEnvironmentName,
  packageMarkerName,
} from '../../programs/hosts/installed-packages.ts'

/** The folder of the packages of a Node program. */
export const nodePackagesFolder = 'node_modules'

/** The folders of packages, relative to the folder of a project. */
const packagesFolders = [nodePackagesFolder, installedEnvironmentName] as const

/** Returns the marker of the packages in a program's folder, or undefined if there is none. */
export function readPackageMarker(folder: string): string | undefined {
  const path = packagesFolders
    .map(name => join(folder, name, packageMarkerName))
    .find(file => existsSync(file))
  return path === undefined ? undefined : readFileSync(path, 'utf8')
}

/** Marks the packages in a program's folder, if there are any. */
export function writePackageMarker(
  folder: string,
  { packagesFolder, marker }: { readonly packagesFolder: string; readonly marker: string },
): void {
  const path = join(folder, packagesFolder)
  if (existsSync(path)) writeFileSync(join(path, packageMarkerName), marker)
}

/** Removes the packages of a program. */
export function removePackages(folder: string, packagesFolder: string): void {
  rmSync(join(folder, packagesFolder), { recursive: true, force: true })
}

/** Replaces the packages of a program by those of another program, which the installer marked. */
export function copyPackages(sourceFolder: string, targetFolder: string): void {
  const options = { recursive: true, verbatimSymlinks: true }
  for (const name of packagesFolders) {
    if (!existsSync(join(sourceFolder, name, packageMarkerName))) continue
    removePackages(targetFolder, name)
    cpSync(join(sourceFolder, name), join(targetFolder, name), options)
  }
}
