import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import { writeOutputFile } from '../project/output-file.ts'
import type { GeneratedSdk } from '../sdk/generated-sdk.ts'

/** The file that lists the files of an SDK, so that the next SDK in the folder replaces them. */
const listFile = '.generated'

/**
 * Writes an SDK into a folder, and removes the files of an earlier SDK in it. Throws CLI_USAGE for
 * a folder with other files, and PLUGIN_FAILED for a file outside of the folder or without a valid
 * name.
 */
export function writeSdk(folder: string, { files }: GeneratedSdk): void {
  for (const path of files.keys())
    if (!isBelow(folder, path))
      throw createError('PLUGIN_FAILED', `the schema has a module outside of the SDK: ${path}`)
    else if (!path.split('/').every(isFileName))
      throw createError('PLUGIN_FAILED', `the schema has a name that cannot name a file: ${path}`)
  const earlierFiles = readEarlierFiles(folder)
  if (earlierFiles === undefined)
    throw createError(
      'CLI_USAGE',
      `the folder ${folder} has files that were not generated; pass another folder with --out`,
    )
  for (const path of earlierFiles.filter(earlierPath => isBelow(folder, earlierPath)))
    rmSync(join(folder, path), { force: true })
  for (const [path, file] of files) writeOutputFile(folder, path, file)
  writeFileSync(join(folder, listFile), `${[...files.keys()].join('\n')}\n`)
}

/** Returns the files of an earlier SDK, or undefined for a folder with other contents. */
function readEarlierFiles(folder: string): readonly string[] | undefined {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return []
  const list = join(folder, listFile)
  if (!existsSync(list)) return undefined
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter(line => line !== '')
}

function isBelow(folder: string, path: string): boolean {
  return resolve(folder, path).startsWith(resolve(folder) + sep)
}

/** Maximum length of the name of a file, in bytes. */
const nameBytesMax = 255

function isFileName(name: string): boolean {
  return name !== '' && !name.includes('\0') && Buffer.byteLength(name) <= nameBytesMax
}
