import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { error } from '../../shared/errors/error.ts'
import type { TemplateFile } from './project-template.ts'

/** Throws CLI_USAGE for a folder with files other than those of a version control system. */
export function requireEmptyFolder(folder: string): void {
  if (!existsSync(folder)) return
  if (readdirSync(folder).every(name => ['.git', '.hg'].includes(name))) return
  throw error('CLI_USAGE', `the folder ${folder} is not empty`, {
    hint: 'Pass --dir <folder> for a new folder, or --force to overwrite files.',
  })
}

/** Writes a file of a new project, and creates its folder. */
export function writeProjectFile(
  folder: string,
  path: string,
  { content, isExecutable }: TemplateFile,
): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), content, { mode: isExecutable ? 0o777 : 0o666 })
}
