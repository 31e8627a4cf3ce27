import { existsSync, readdirSync, statSync } from 'node:fs'
import { createError } from '../../shared/errors/error.ts'

/**
 * Throws CLI_USAGE for a file in place of the folder, and for a folder with files other than those
 * of a version control system.
 */
export function requireEmptyFolder(folder: string): void {
  if (!existsSync(folder)) return
  if (!statSync(folder).isDirectory())
    throw createError('CLI_USAGE', `${folder} is not a folder`, { hint: 'Pass --dir <folder>.' })
  if (readdirSync(folder).every(name => ['.git', '.hg'].includes(name))) return
  throw createError('CLI_USAGE', `the folder ${folder} is not empty`, {
    hint: 'Pass --dir <folder> for a new folder, or --force to overwrite files.',
  })
}
