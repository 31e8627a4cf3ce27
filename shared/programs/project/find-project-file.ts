import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createError } from '../../errors/error.ts'

const fileNames = ['Pulumi.yaml', 'Pulumi.yml', 'Pulumi.json']

/** Reports whether a folder itself contains a project file. */
export function hasProjectFile(folder: string): boolean {
  return fileNames.some(name => existsSync(join(folder, name)))
}

/**
 * Returns the project file of a folder or of the nearest folder above it. Throws PROJECT_NOT_FOUND.
 */
export function findProjectFile(startFolder: string): string {
  for (let folder = resolve(startFolder); ; folder = dirname(folder)) {
    for (const name of fileNames) {
      const file = join(folder, name)
      if (existsSync(file)) return file
    }
    if (folder === dirname(folder))
      throw createError(
        'PROJECT_NOT_FOUND',
        `no Pulumi.yaml in ${resolve(startFolder)} or any folder above it`,
      )
  }
}
