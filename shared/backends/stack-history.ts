import type { StackId } from '../records/ids.ts'
import type { StoredEnvelope } from '../state/stored.ts'
import { stackKeysOf } from './backend-keys.ts'
import { parseCheckpoint } from './checkpoint-file.ts'
import { compress, compressionSuffixes } from './compression.ts'
import type { Backend } from './open-backend.ts'
import { listDirectly, type CheckpointObject, toUnixNanos } from './stack-objects.ts'
import { parseUpdateInfo, printUpdateInfo, type UpdateInfo } from './update-info.ts'

const historyPattern = /\.history\.json(\.gz|\.zst)?$/

/** Returns the keys of the entries of a stack's history, oldest first. */
export async function listHistoryKeys(backend: Backend, id: StackId): Promise<readonly string[]> {
  const { history } = stackKeysOf(backend.layout, id)
  return (await listDirectly(backend, history)).filter(key => historyPattern.test(key))
}

/** Reads one entry of the history. Throws BACKEND_INVALID. */
export async function readHistoryEntry(backend: Backend, key: string): Promise<UpdateInfo> {
  return parseUpdateInfo((await backend.store.get(key)) ?? new Uint8Array(), key)
}

/**
 * Returns the state of a stack after the update that an entry of the history describes. Returns
 * undefined if the entry has no copy of the checkpoint. Throws BACKEND_INVALID, STATE_TOO_NEW.
 */
export async function readHistoryState(
  backend: Backend,
  historyKey: string,
): Promise<StoredEnvelope | undefined> {
  const key = historyKey.replace(historyPattern, '.checkpoint.json$1')
  const bytes = await backend.store.get(key)
  return bytes === undefined ? undefined : parseCheckpoint(bytes, key)
}

/**
 * Adds an entry to the history, with a copy of the stack's `current` checkpoint. The keys of both
 * objects contain `atMs`, so a repeated call replaces the objects. Returns the key of the entry.
 */
export async function addHistoryEntry(
  backend: Backend,
  id: StackId,
  {
    info,
    atMs,
    current,
  }: {
    readonly info: UpdateInfo
    readonly atMs: number
    readonly current: CheckpointObject | undefined
  },
): Promise<string> {
  const { history, fileName } = stackKeysOf(backend.layout, id)
  const keyStart = `${history}${fileName}-${toUnixNanos(atMs)}`
  const suffix = `.json${compressionSuffixes[backend.compression]}`
  const key = `${keyStart}.history${suffix}`
  await backend.store.put(key, compress(printUpdateInfo(info), backend.compression))
  if (current !== undefined)
    await backend.store.put(`${keyStart}.checkpoint${suffix}`, current.bytes)
  return key
}

/**
 * Copies the history of a stack to another stack of the same store, possibly in another layout.
 * Repeatable.
 */
export async function copyHistory(
  from: { readonly backend: Backend; readonly id: StackId },
  to: { readonly backend: Backend; readonly id: StackId },
): Promise<void> {
  const { store } = from.backend
  const oldKeys = stackKeysOf(from.backend.layout, from.id)
  const newKeys = stackKeysOf(to.backend.layout, to.id)
  const keyStart = `${oldKeys.history}${oldKeys.fileName}-`
  for (const key of await listDirectly(from.backend, oldKeys.history)) {
    if (!key.startsWith(keyStart)) continue
    const bytes = await store.get(key)
    const newKey = `${newKeys.history}${newKeys.fileName}-${key.slice(keyStart.length)}`
    if (bytes !== undefined) await store.put(newKey, bytes)
  }
}
