import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The name of the virtual environment that the installer creates in the folder of a project. */
export const installedEnvironmentName = '.venv'

/**
 * The file in a folder of packages that identifies them by package manager, requirements, runtime
 * and options. Only the installer writes it.
 */
export const packageMarkerName = '.antichain-installed'

/**
 * The binary of a program in Go, which the client builds for an upload. It is in the folder of the
 * project.
 */
export const uploadedBinaryName = '.antichain-program'

/**
 * Returns the virtual environment that the installer created for a project. Returns undefined if
 * there is none.
 */
export function findInstalledEnvironment(projectFolder: string): string | undefined {
  const folder = join(projectFolder, installedEnvironmentName)
  return existsSync(join(folder, packageMarkerName)) ? folder : undefined
}
