import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const packagesFolder = 'node_modules'
/**
 * The file that identifies the installed packages by manager, lock file, package.json, runtime and
 * options.
 */
const markerPath = join(packagesFolder, '.antichain-installed')

/** Returns the marker of the packages in a program's folder, or undefined if there is none. */
export function readPackageMarker(folder: string): string | undefined {
  const path = join(folder, markerPath)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Marks the packages in a program's folder, if there are any. */
export function writePackageMarker(folder: string, marker: string): void {
  if (existsSync(join(folder, packagesFolder))) writeFileSync(join(folder, markerPath), marker)
}

/** Removes the packages of a program. */
export function removePackages(folder: string): void {
  rmSync(join(folder, packagesFolder), { recursive: true, force: true })
}

/** Replaces the packages of a program by those of another program. */
export function copyPackages(sourceFolder: string, targetFolder: string): void {
  removePackages(targetFolder)
  const options = { recursive: true, verbatimSymlinks: true }
  cpSync(join(sourceFolder, packagesFolder), join(targetFolder, packagesFolder), options)
}
