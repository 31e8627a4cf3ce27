import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { BlobHash, StackId } from '../records/ids.ts'
import { type CopyFence, type CopyPart, parseCopyPart } from '../records/journal-copy.ts'
import { stackKeysOf } from './backend-keys.ts'
import { decompressGzip } from './compression.ts'
import type { Backend } from './open-backend.ts'

/** The copy of a deployment's journal in a backend, without the content of its parts. */
export interface BackendCopy {
  /** The id of the copy. */
  readonly copyId: string
  /**
   * The number of parts before the first gap in their numbers. 0: the copy is being removed, or
   * only its fence remains.
   */
  readonly partCount: number
  readonly blobs: readonly BlobHash[]
  /** The ids of the locks under which the deployment ran. */
  readonly locks: readonly string[]
  /** Time of the last write, in ms since 1970. */
  readonly modifiedMs: number
}

/** Maximum number of requests to the store that one call sends at the same time. */
const requestsMax = 32

const compressBlob = promisify(gzip)

/** Lists the journal copies of a stack. */
export async function listJournalCopies(
  backend: Backend,
  id: StackId,
): Promise<readonly BackendCopy[]> {
  const { journal } = stackKeysOf(backend.layout, id)
  const objectsByCopy = new Map<string, FoundObjects>()
  for (const { key, modifiedMs } of await backend.store.list(journal)) {
    const [copyId = '', nameOrFolder = '', nameInFolder = ''] = key.slice(journal.length).split('/')
    const newObjects = { partNumbers: new Set<number>(), blobs: [], locks: [], modifiedMs: 0 }
    const objects: FoundObjects = objectsByCopy.get(copyId) ?? newObjects
    objectsByCopy.set(copyId, objects)
    objects.modifiedMs = Math.max(objects.modifiedMs, modifiedMs)
    const number = /^(\d{8})\.json$/.exec(nameOrFolder)?.[1]
    if (number !== undefined) objects.partNumbers.add(Number(number))
    if (nameOrFolder === 'locks') objects.locks.push(nameInFolder)
    const hash = /^([0-9a-f]{64})\.gz$/.exec(nameInFolder)?.[1]
    if (hash !== undefined) objects.blobs.push(hash as BlobHash)
  }
  return [...objectsByCopy].map(([copyId, { partNumbers, ...objects }]) => {
    let partCount = 0
    while (partNumbers.has(partCount)) partCount += 1
    return { copyId, partCount, ...objects }
  })
}

/** The contents of a copy that are known from the keys of its objects. */
interface FoundObjects {
  readonly partNumbers: Set<number>
  readonly blobs: BlobHash[]
  readonly locks: string[]
  modifiedMs: number
}

/** Records that the deployment of a copy runs under a lock. */
export async function addCopyLock(
  backend: Backend,
  id: StackId,
  { copyId, lock }: { readonly copyId: string; readonly lock: string },
): Promise<void> {
  await backend.store.put(`${copyPrefixOf(backend, id, copyId)}locks/${lock}`, new Uint8Array())
}

/** Writes a part of a copy. Returns false if the part exists with another content. */
export async function putCopyPart(
  backend: Backend,
  id: StackId,
  part: { readonly copyId: string; readonly number: number; readonly text: string },
): Promise<boolean> {
  const key = partKeyOf(backend, id, part)
  const bytes = Buffer.from(part.text)
  if (await backend.store.putIfAbsent(key, bytes)) return true
  // If the first response was lost, a repeated call finds its own part.
  const existing = await backend.store.get(key)
  return existing !== undefined && bytes.equals(existing)
}

/** Reads a part of a copy. Returns undefined if it does not exist. Throws BACKEND_INVALID. */
export async function readCopyPart(
  backend: Backend,
  id: StackId,
  part: { readonly copyId: string; readonly number: number },
): Promise<CopyPart | undefined> {
  const key = partKeyOf(backend, id, part)
  const bytes = await backend.store.get(key)
  return bytes === undefined ? undefined : parseCopyPart(bytes, key)
}

/**
 * Ends a copy in place of its writer, whose next part is refused from then on. Returns false if the
 * writer added a part meanwhile.
 */
export async function fenceCopy(
  backend: Backend,
  id: StackId,
  { copyId, partCount }: BackendCopy,
  fence: CopyFence,
): Promise<boolean> {
  return putCopyPart(backend, id, { copyId, number: partCount, text: JSON.stringify({ fence }) })
}

/** Reads the parts of a copy in their order. The header is the first. Throws BACKEND_INVALID. */
export async function* readCopyParts(
  backend: Backend,
  id: StackId,
  { copyId, partCount }: BackendCopy,
): AsyncGenerator<CopyPart> {
  for (let from = 0; from < partCount; from += requestsMax) {
    const numbers = Array.from(
      { length: Math.min(requestsMax, partCount - from) },
      (_, i) => from + i,
    )
    const parts = await Promise.all(
      numbers.map(number => readCopyPart(backend, id, { copyId, number })),
    )
    for (const part of parts) if (part !== undefined) yield part
  }
}

/** Writes a blob of a copy. A repeated call overwrites it with the same bytes. */
export async function putCopyBlob(
  backend: Backend,
  id: StackId,
  blob: { readonly copyId: string; readonly hash: string; readonly bytes: Uint8Array },
): Promise<void> {
  await backend.store.put(blobKeyOf(backend, id, blob), await compressBlob(blob.bytes))
}

/** Reads a blob of a copy. Returns undefined if it does not exist. Throws BACKEND_INVALID. */
export async function readCopyBlob(
  backend: Backend,
  id: StackId,
  blob: { readonly copyId: string; readonly hash: string },
): Promise<Uint8Array | undefined> {
  const key = blobKeyOf(backend, id, blob)
  const bytes = await backend.store.get(key)
  return bytes === undefined ? undefined : decompressGzip(bytes, key)
}

/**
 * Removes a copy, except for the part with the number `fence`. A writer that wakes up later still
 * finds the fence. The part 0 (the header) is removed first, so that a half-removed copy is never
 * taken for a complete one.
 */
export async function removeJournalCopy(
  backend: Backend,
  id: StackId,
  { copyId, fence }: { readonly copyId: string; readonly fence?: number },
): Promise<void> {
  const prefix = copyPrefixOf(backend, id, copyId)
  const fenceKey = fence === undefined ? '' : partKeyOf(backend, id, { copyId, number: fence })
  const keys = (await backend.store.list(prefix))
    .map(({ key }) => key)
    .filter(key => key !== fenceKey)
  await backend.store.remove(partKeyOf(backend, id, { copyId, number: 0 }))
  for (let from = 0; from < keys.length; from += requestsMax)
    await Promise.all(keys.slice(from, from + requestsMax).map(key => backend.store.remove(key)))
}

/** Returns the prefix of the objects of a copy. It ends with `/`. */
export function copyPrefixOf(backend: Backend, id: StackId, copyId: string): string {
  return `${stackKeysOf(backend.layout, id).journal}${copyId}/`
}

function partKeyOf(
  backend: Backend,
  id: StackId,
  { copyId, number }: { readonly copyId: string; readonly number: number },
): string {
  return `${copyPrefixOf(backend, id, copyId)}${String(number).padStart(8, '0')}.json`
}

function blobKeyOf(
  backend: Backend,
  id: StackId,
  { copyId, hash }: { readonly copyId: string; readonly hash: string },
): string {
  return `${copyPrefixOf(backend, id, copyId)}blobs/${hash}.gz`
}
