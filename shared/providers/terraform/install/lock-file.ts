import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import * as z from 'zod'
import { createError } from '../../../errors/error.ts'
import { parseHcl } from './hcl-document.ts'

/** The entry of a lock file for a provider: its version, and the hashes of its package. */
export interface ProviderLock {
  readonly version: string
  /** The constraints that the version met. '' = none recorded. */
  readonly constraints: string
  /** Hashes with their scheme, such as `h1:…`. A package with any of them is accepted. */
  readonly hashes: readonly string[]
}

/** The locks of providers, by the full addresses of the providers. */
export type ProviderLocks = ReadonlyMap<string, ProviderLock>

/** The name of the lock file in the folder of a program. */
export const lockFileName = '.terraform.lock.hcl'

const lockForm = z.strictObject({
  version: z.string(),
  constraints: z.string().default(''),
  hashes: z.array(z.string().regex(/^[a-z0-9]+:./)).default([]),
})

/**
 * Reads a lock file. Returns undefined if the file does not exist. Throws TERRAFORM_FILE_INVALID.
 */
export function readLockFile(file: string): ProviderLocks | undefined {
  const text = readText(file)
  return text === undefined ? undefined : parseLocks(text, file)
}

function parseLocks(text: string, file: string): ProviderLocks {
  const { attributes, blocks } = parseHcl(text, file)
  if (attributes.size > 0)
    throw createLockFileError(file, 'it has attributes outside of its blocks')
  return new Map(
    blocks.map(({ type, labels, body }) => {
      const [address] = labels
      if (type !== 'provider' || address === undefined || labels.length > 1)
        throw createLockFileError(file, `the block '${[type, ...labels].join(' ')}' is unknown`)
      const lock = lockForm.safeParse(Object.fromEntries(body.attributes))
      if (lock.success) return [address, lock.data] as const
      throw createLockFileError(file, `the block of '${address}' has an invalid value`)
    }),
  )
}

/**
 * Records a lock in a lock file, which is created if it is missing. Recorded hashes of the same
 * version are kept. The file changes completely or not at all. Throws TERRAFORM_FILE_INVALID and
 * errors of the file system.
 */
export function writeProviderLock(file: string, address: string, lock: ProviderLock): void {
  const text = readText(file)
  const locks = text === undefined ? new Map<string, ProviderLock>() : parseLocks(text, file)
  const previous = locks.get(address)
  const recordedHashes = previous?.version === lock.version ? previous.hashes : []
  const hashes = [...new Set([...recordedHashes, ...lock.hashes])].toSorted()
  const newLocks = new Map([...locks, [address, { ...lock, hashes }]])
  const newText = formatLocks(newLocks, readHeader(text))
  if (newText === text) return
  const temporaryFile = `${file}.${process.pid}`
  try {
    writeFileSync(temporaryFile, newText)
    renameSync(temporaryFile, file)
  } finally {
    rmSync(temporaryFile, { force: true })
  }
}

const ownHeader = `# This file records the Terraform providers of this program, in the format of
# OpenTofu and Terraform.
`

/** Returns the first comment of a lock file: the existing one, or `ownHeader` for a new file. */
function readHeader(text: string | undefined): string {
  if (text === undefined) return ownHeader
  const [header = ''] = /^(?:#[^\n]*\n)*/.exec(text) ?? []
  return header
}

function formatLocks(locks: ProviderLocks, header: string): string {
  const sections = [...locks]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([address, { version, constraints, hashes }]) =>
      [
        `provider ${quote(address)} {`,
        constraints === ''
          ? `  version = ${quote(version)}`
          : `  version     = ${quote(version)}\n  constraints = ${quote(constraints)}`,
        ...(hashes.length === 0
          ? []
          : ['  hashes = [', ...hashes.map(hash => `    ${quote(hash)},`), '  ]']),
        '}\n',
      ].join('\n'),
    )
  return [...(header === '' ? [] : [header]), ...sections].join('\n')
}

function quote(text: string): string {
  return JSON.stringify(text)
    .replaceAll('${', () => '$${')
    .replaceAll('%{', '%%{')
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return undefined
    throw thrown
  }
}

function createLockFileError(file: string, problem: string): Error {
  return createError('TERRAFORM_FILE_INVALID', `cannot use ${file}: ${problem}`)
}
