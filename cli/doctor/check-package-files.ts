import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { type AreaReport, createAreaReport } from './finding.ts'

/** The folder of the package or clone that runs. */
const packageFolder = resolve(import.meta.dirname, '../..')
const listForm = z.object({ files: z.record(z.string(), z.string()) })
/** The number of files that a finding names. */
const namesMax = 5

/**
 * Compares the files of an installed package with the hashes in its `dist/files.json`. A clone does
 * not have this list, and is not checked.
 */
export function checkPackageFiles(folder = packageFolder): AreaReport {
  const listPath = join(folder, 'dist/files.json')
  const remedy = 'Install antichain again: `npm install -g` with the same packed file.'
  if (!existsSync(listPath)) {
    if (existsSync(join(folder, 'cli/main.ts')))
      return createAreaReport('installation', [`antichain ${manifest.version}, a clone: ${folder}`])
    const problem = 'the list of the files of this package is missing'
    return createAreaReport('installation', [{ subject: listPath, problem, remedy }])
  }
  const hashes = parseList(readFileSync(listPath, 'utf8'))
  if (hashes === undefined)
    return createAreaReport('installation', [
      { subject: listPath, problem: 'the list of the files of this package is damaged', remedy },
    ])
  const isMissing = ([name]: readonly [string, string]): boolean => !existsSync(join(folder, name))
  const isChanged = (entry: readonly [string, string]): boolean =>
    !isMissing(entry) && hashOf(join(folder, entry[0])) !== entry[1]
  const missingNames = hashes.filter(isMissing).map(([name]) => name)
  const changedNames = hashes.filter(isChanged).map(([name]) => name)
  return createAreaReport('installation', [
    `antichain ${manifest.version}, ${hashes.length} files: ${folder}`,
    ...describe('missing', missingNames, { folder, remedy }),
    ...describe('changed', changedNames, { folder, remedy }),
  ])
}

function parseList(text: string): readonly (readonly [string, string])[] | undefined {
  try {
    return Object.entries(listForm.parse(JSON.parse(text)).files)
  } catch {
    return undefined
  }
}

const hashOf = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')

function describe(
  adjective: string,
  names: readonly string[],
  { folder, remedy }: { readonly folder: string; readonly remedy: string },
): { subject: string; problem: string; remedy: string }[] {
  if (names.length === 0) return []
  const moreText = names.length > namesMax ? ` and ${names.length - namesMax} others` : ''
  const list = `${names.slice(0, namesMax).join(', ')}${moreText}`
  return [{ subject: folder, problem: `files of the package are ${adjective}: ${list}`, remedy }]
}
