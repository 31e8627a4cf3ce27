import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const packagesFolder = 'node_modules'
/** A file that identifies an installation: manager, lock file and package.json, runtime. */
const marker = join(packagesFolder, '.antichain-installed')

/** Returns the marker of the packages in a program's folder. Undefined without one. */
export function readPackageMarker(folder: string): string | undefined {
  const path = join(folder, marker)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** Marks the packages in a program's folder, if there are any. */
export function writePackageMarker(folder: string, identity: string): void {
  if (existsSync(join(folder, packagesFolder))) writeFileSync(join(folder, marker), identity)
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
