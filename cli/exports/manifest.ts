/**
 * exports: an export of all stacks as a folder of files, or the same folder as an archive. Imports
 * everything below the command line.
 *
 * Invariants: 1. The manifest is written last, so an export without it is incomplete. 2. The
 * manifest has the hash of each member, and an import checks all of them before its first change.
 * 3. Secrets stay encrypted, and no key is exported. 4. One state is in memory at a time.
 */
import { createHash } from 'node:crypto'
import { createReadStream, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { auditSourceForm } from '../../functions/api/imported-audit.ts'
import { createError } from '../../shared/errors/error.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import { parseJson } from '../../shared/values/parse-json.ts'
import { createRecordForm } from '../../shared/values/record-form.ts'
import { exportedStackPattern } from './exported-names.ts'

const exportedStackForm = z.object({
  id: z.string().regex(exportedStackPattern),
  /** The folder of the members of the stack. */
  folder: z.string().regex(/^stacks\/\d+$/),
  /** The number of entries of the history. */
  history: z.int(),
  /** The number of resources in `state.json`. */
  resources: z.int(),
  /** The published version that `state.json` has. 0 without a state. */
  version: z.int(),
  /** The kind of the secrets manager. Empty without one. */
  secrets: z.string(),
})

const manifestForm = z.object({
  format: z.literal(1),
  createdAt: z.string(),
  /** The address of the exported API, or the name of the machine. Older exports have none. */
  source: auditSourceForm.optional(),
  stacks: z.array(exportedStackForm),
  members: createRecordForm(
    z.object({ bytes: z.int(), sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
})

/** The manifest of an export: its stacks, and the hash of each other file. */
export type ExportManifest = z.infer<typeof manifestForm>

/** A stack of an export. */
export type ExportedStack = z.infer<typeof exportedStackForm>

/** The file of the manifest. */
export const manifestName = 'manifest.json'

/** Returns the size and the hash of a file. */
export async function hashMember(path: string): Promise<ExportManifest['members'][string]> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    hash.update(chunk)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Returns the paths of all files below a folder, except the manifest, in order. */
export function listMembers(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter(path => path !== manifestName)
    .toSorted()
}

/**
 * Reads the manifest of an export in a folder, and checks each member. Throws EXPORT_INVALID for an
 * export that is incomplete or was changed.
 */
export async function readCheckedManifest(folder: string): Promise<ExportManifest> {
  const path = join(folder, manifestName)
  const status = lstatSync(path, { throwIfNoEntry: false })
  if (status?.isFile() !== true) throw createInvalidError(`the file ${manifestName} is missing`)
  const parsed = manifestForm.safeParse(parseJson(readFileSync(path, 'utf8')))
  if (!parsed.success) throw createInvalidError(`${manifestName} has an unknown format`)
  const { members } = parsed.data
  const presentMembers = listMembers(folder)
  const surplusMember = presentMembers.find(name => !Object.hasOwn(members, name))
  if (surplusMember !== undefined)
    throw createInvalidError(`${surplusMember} is not in ${manifestName}`)
  for (const [name, expected] of Object.entries(members)) {
    if (!presentMembers.includes(name)) throw createInvalidError(`${name} is missing`)
    const memberPath = join(folder, name)
    if (!lstatSync(memberPath).isFile()) throw createInvalidError(`${name} is no file`)
    const { sha256 } = await hashMember(memberPath)
    if (sha256 !== expected.sha256) throw createInvalidError(`${name} was changed or is damaged`)
  }
  return parsed.data
}

/** Returns the error for an export that no import accepts. */
export function createInvalidError(reason: string, hint?: string): Error {
  const message = `the export cannot be used: ${toPrintable(reason, 1_000)}`
  return createError('EXPORT_INVALID', message, hint === undefined ? {} : { hint })
}
