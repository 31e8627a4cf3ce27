import { gzipSync, zstdCompressSync } from 'node:zlib'
import {
  type BackendLayout,
  backendMetaKey,
  parseBackendMeta,
  stackKeysOf,
  stackOfKey,
} from '../../../shared/backends/backend-keys.ts'
import { readBackendTags, saveBackendTags } from '../../../shared/backends/backend-tags.ts'
import { parseCheckpointFile, printCheckpoint } from '../../../shared/backends/checkpoint-file.ts'
import { toHistoryImport } from '../../../shared/backends/import-backend-history.ts'
import {
  type BackendCopy,
  listJournalCopies,
  readCopyBlob,
  readCopyParts,
} from '../../../shared/backends/journal-copies.ts'
import { findLegacyStack } from '../../../shared/backends/legacy-stacks.ts'
import { createLockedError, parseLock, printLock } from '../../../shared/backends/lock-file.ts'
import { type Backend, findBackend } from '../../../shared/backends/open-backend.ts'
import { parseUpdateInfo, printUpdateInfo } from '../../../shared/backends/update-info.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { ObjectStorePort } from '../../../shared/ports/objects.ts'
import { stackIdOf } from '../../../shared/records/ids.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const stack = stackIdOf('shop', 'dev')
const copyId = 'c'

/** Opens a backend over objects in memory. */
function openObjects(
  objects: ReadonlyMap<string, Uint8Array>,
  layout: BackendLayout = 'project',
): Backend {
  const stored = new Map(objects)
  const store: ObjectStorePort = {
    address: 'mem://fuzz',
    get: async key => stored.get(key),
    put: async (key, bytes) => void stored.set(key, bytes),
    putIfAbsent: async () => false,
    list: async prefix =>
      [...stored.keys()]
        .filter(key => key.startsWith(prefix))
        .toSorted()
        .map(key => ({ key, modifiedMs: 1 })),
    remove: async key => void stored.delete(key),
  }
  return { store, layout, compression: 'none', env: {} }
}

const keys = stackKeysOf('project', stack)
const keyOfCopy = (name: string): string => `${keys.journal}${copyId}/${name}`

function checkMeta(bytes: Uint8Array): Promise<unknown> {
  const layout = parseBackendMeta(bytes)
  requireLaw(layout === 'project' || layout === 'legacy', 'metadata names a layout')
  return findBackend(openObjects(new Map([[backendMetaKey, bytes]])).store, {})
}

function checkLock(bytes: Uint8Array): void {
  const lock = parseLock(bytes, 'a lock')
  const printed = printLock(lock)
  const reprinted = printLock(parseLock(printed, 'a lock'))
  requireLaw(Buffer.from(reprinted).equals(printed), 'a printed lock parses to itself')
  createLockedError(stack, lock, 0)
}

async function checkTags(bytes: Uint8Array): Promise<void> {
  const backend = openObjects(new Map([[keys.tags, bytes]]))
  const save = async () =>
    saveBackendTags(backend, stack, (await readBackendTags(backend, stack))?.tags ?? {})
  const saved = (await save()) ?? new Uint8Array()
  const resaved = (await save()) ?? new Uint8Array()
  requireLaw(Buffer.from(resaved).equals(saved), 'saved tags are saved again as they are')
}

/** Checks that an entry is printed as it was read, and that its times are dates. */
function checkHistory(bytes: Uint8Array): void {
  const info = parseUpdateInfo(bytes, 'an entry')
  const printed = printUpdateInfo(info)
  const reprinted = printUpdateInfo(parseUpdateInfo(printed, 'an entry'))
  requireLaw(Buffer.from(reprinted).equals(printed), 'a printed entry parses to itself')
  const { start, end } = toHistoryImport({ info, readState: async () => undefined })
  requireLaw(
    [start.at, end.at].every(at => !Number.isNaN(new Date(at).getTime())),
    'an entry begins and ends at a date',
  )
  JSON.stringify([start, end])
}

function checkCheckpoint(bytes: Uint8Array): void {
  const { envelope, checkpointFields } = parseCheckpointFile(bytes, 'a checkpoint')
  const printed = printCheckpoint(stack, envelope, checkpointFields)
  const file = parseCheckpointFile(printed, 'a checkpoint')
  const reprinted = printCheckpoint(stack, file.envelope, file.checkpointFields)
  requireLaw(Buffer.from(reprinted).equals(printed), 'a printed checkpoint parses to itself')
}

async function checkParts(bytes: Uint8Array): Promise<void> {
  const backend = openObjects(new Map([[keyOfCopy('00000000.json'), bytes]]))
  for (const copy of await listJournalCopies(backend, stack))
    for await (const part of readCopyParts(backend, stack, copy satisfies BackendCopy)) {
      const kinds = Object.keys(part)
      requireLaw(kinds.length === 1, `a part has one kind: ${kinds.join(', ')}`)
    }
}

/** The readers of objects, by the first line of an input. */
const readers: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  meta: checkMeta,
  lock: checkLock,
  tags: checkTags,
  history: checkHistory,
  checkpoint: checkCheckpoint,
  part: checkParts,
  blob: bytes => {
    const hash = 'a'.repeat(64)
    const backend = openObjects(new Map([[keyOfCopy(`blobs/${hash}.gz`), bytes]]))
    return readCopyBlob(backend, stack, { copyId, hash })
  },
  legacy: bytes =>
    findLegacyStack(openObjects(new Map([['.pulumi/stacks/dev.json', bytes]]), 'legacy'), 'dev'),
  keys: async bytes => {
    const lines = Buffer.from(bytes).toString('utf8').split('\n')
    for (const line of lines) stackOfKey('project', line)
    const objects = new Map(lines.map(line => [`${keys.journal}${line}`, new Uint8Array()]))
    await listJournalCopies(openObjects(objects), stack)
  },
}

/** The compressions of a reader: `gzip lock` compresses the rest of the input first. */
const compressions: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: gzipSync,
  zstd: bytes => zstdCompressSync(bytes),
}

/**
 * Objects of self-managed backends: a line with the kind of the object, perhaps after a
 * compression, and the bytes of the object.
 */
export const backendObjectsTarget: FuzzTarget = {
  decode(input) {
    const bytes = Buffer.from(input)
    const lineEnd = Math.max(0, bytes.indexOf(10))
    const names = bytes.toString('utf8', 0, lineEnd).split(' ')
    const kind = names.at(-1) ?? ''
    const compression = names.length > 1 ? (names[0] ?? '') : ''
    const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined
    if (read === undefined) throw createError('BACKEND_INVALID', 'the input has no kind of object')
    const compress = Object.hasOwn(compressions, compression)
      ? compressions[compression]
      : undefined
    const body = bytes.subarray(lineEnd + 1)
    return read(compress === undefined ? body : compress(body))
  },
}
