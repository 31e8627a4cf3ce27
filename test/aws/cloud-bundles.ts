import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { acquireFolderLock } from '../../cli/bootstrap/lock.mjs'
import { createAssets, projectRoot } from '../../infra/assets.ts'
import type { FunctionRow } from '../../infra/function-row.ts'
import { functionsTable } from '../../infra/functions-table.ts'
import { buildOnce } from '../build-once.ts'

/** The bundles of the functions, in a folder that belongs to one test file. */
export interface CloudBundles {
  /** Returns the folder of a function's bundle, or undefined if the function has no entry. */
  readonly findBundle: (row: FunctionRow) => string | undefined
  readonly remove: () => void
}

const bundlesFolder = join(projectRoot, '.cache', 'cloud-bundles')

/**
 * Creates the bundles of the functions that have an entry. The first test file after a change of
 * the sources builds them, and the others copy them, because esbuild needs 20 s of processor time.
 */
export async function createBundles(): Promise<CloudBundles> {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-cloud-bundles-'))
  const release = await acquireFolderLock(`${bundlesFolder}.lock`)
  try {
    cpSync(buildBundles(), folder, { recursive: true })
  } finally {
    release()
  }
  return {
    findBundle: ({ name, entry }) =>
      existsSync(join(projectRoot, entry)) ? join(folder, name) : undefined,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Builds the bundles unless the sources have the same names, sizes and times as in a build. */
function buildBundles(): string {
  const key = hashSources()
  const folder = join(bundlesFolder, key)
  if (!existsSync(folder)) rmSync(bundlesFolder, { recursive: true, force: true })
  return buildOnce(folder, partialFolder => {
    const assets = createAssets('existing', partialFolder)
    for (const row of functionsTable) assets.bundleFunction(row)
  })
}

/** Everything that bundles contain, relative to the project. */
const sourceFolders = [
  'cli',
  'functions',
  'infra',
  'local',
  'proto/gen',
  'shared',
  '.cache/dashboard',
]

function hashSources(): string {
  const hash = createHash('sha256')
  const addFile = (path: string): void => {
    const { size, mtimeMs } = statSync(path)
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  addFile(join(projectRoot, 'package-lock.json'))
  for (const sourceFolder of sourceFolders) {
    const folder = join(projectRoot, sourceFolder)
    if (!existsSync(folder)) continue
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    for (const entry of entries) if (entry.isFile()) addFile(join(entry.parentPath, entry.name))
  }
  return hash.digest('hex').slice(0, 16)
}
