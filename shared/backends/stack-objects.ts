import { createError } from '../errors/error.ts'
import { type StackId } from '../records/ids.ts'
import { hasBackendFlag } from './backend-flags.ts'
import { stackKeysOf } from './backend-keys.ts'
import { compress, compressionSuffixes } from './compression.ts'
import {
  type CheckpointFile,
  parseCheckpointFile,
  printEmptyCheckpoint,
} from './checkpoint-file.ts'
import type { Backend } from './open-backend.ts'
import type { StoredEnvelope } from '../state/stored.ts'

/** The object of the backend with the checkpoint of a stack: its key, and its stored bytes. */
export interface CheckpointObject {
  readonly key: string
  readonly bytes: Uint8Array
}

/**
 * Returns the key of a stack's newest checkpoint, in any compression. With the ending `.bak`,
 * returns that of the newest previous checkpoint. Returns undefined if there is none.
 */
async function findCheckpointKey(
  backend: Backend,
  id: StackId,
  ending: '' | '.bak' = '',
): Promise<string | undefined> {
  const { checkpoint } = stackKeysOf(backend.layout, id)
  const candidates = Object.values(compressionSuffixes).map(suffix => checkpoint + suffix + ending)
  const entries = (await backend.store.list(checkpoint)).filter(({ key }) =>
    candidates.includes(key),
  )
  const newest = entries.toSorted((a, b) => a.modifiedMs - b.modifiedMs).at(-1)
  return newest?.key
}

/** Returns the checkpoint of a stack. Returns undefined if the stack does not exist. */
export async function readCheckpoint(
  backend: Backend,
  id: StackId,
): Promise<CheckpointObject | undefined> {
  return readObject(backend, await findCheckpointKey(backend, id))
}

/** Returns the previous checkpoint of a stack. Returns undefined if there is none. */
export async function readCheckpointBackup(
  backend: Backend,
  id: StackId,
): Promise<CheckpointObject | undefined> {
  return readObject(backend, await findCheckpointKey(backend, id, '.bak'))
}

async function readObject(
  backend: Backend,
  key: string | undefined,
): Promise<CheckpointObject | undefined> {
  const bytes = key === undefined ? undefined : await backend.store.get(key)
  return key === undefined || bytes === undefined ? undefined : { key, bytes }
}

/** Parses the state in the checkpoint of a stack. Throws BACKEND_INVALID, STATE_TOO_NEW. */
export function parseCheckpointState(object: CheckpointObject): StoredEnvelope {
  return parseStackCheckpoint(object).envelope
}

/** Parses the checkpoint of a stack, all fields included. Throws BACKEND_INVALID, STATE_TOO_NEW. */
export function parseStackCheckpoint({ key, bytes }: CheckpointObject): CheckpointFile {
  return parseCheckpointFile(bytes, key)
}

/**
 * Writes the checkpoint of a stack in place of `previous`, which becomes its `.bak` copy first. The
 * stack has a checkpoint at every moment, because for other clients a stack without a checkpoint
 * does not exist. With the flag `RETAIN_CHECKPOINTS`, a copy of the new checkpoint remains under a
 * name with its time. Returns the stored bytes.
 */
export async function saveCheckpoint(
  backend: Backend,
  id: StackId,
  {
    checkpoint,
    previous,
  }: { readonly checkpoint: Uint8Array; readonly previous: CheckpointObject | undefined },
): Promise<Uint8Array> {
  const { store, compression, env } = backend
  const key = stackKeysOf(backend.layout, id).checkpoint + compressionSuffixes[compression]
  if (previous !== undefined) await store.put(`${previous.key}.bak`, previous.bytes)
  const bytes = compress(checkpoint, compression)
  await store.put(key, bytes)
  if (previous !== undefined && previous.key !== key) await store.remove(previous.key)
  if (hasBackendFlag(env, 'RETAIN_CHECKPOINTS'))
    await store.put(`${key}.${toUnixNanos(Date.now())}`, bytes)
  return bytes
}

/**
 * Checks that the checkpoint of a stack can be replaced. For this check, writes the bytes of its
 * `.bak` copy again. If there is no such copy yet, creates it from the checkpoint, as each save
 * does. Throws the errors of the store.
 */
export async function requireWritableStack(backend: Backend, id: StackId): Promise<void> {
  const current = await readCheckpoint(backend, id)
  if (current === undefined) return
  const backup = await readCheckpointBackup(backend, id)
  const { key, bytes } = backup ?? { key: `${current.key}.bak`, bytes: current.bytes }
  await backend.store.put(key, bytes)
}

/** Copies the checkpoint of a stack to the backups, unless the environment disables backups. */
export async function backUpStack(
  backend: Backend,
  id: StackId,
  { atMs, current }: { readonly atMs: number; readonly current: CheckpointObject },
): Promise<void> {
  const { store, env } = backend
  if (hasBackendFlag(env, 'DISABLE_CHECKPOINT_BACKUPS')) return
  const { checkpoint, backups, fileName } = stackKeysOf(backend.layout, id)
  const suffix = current.key.slice(checkpoint.length)
  await store.put(`${backups}${fileName}.${toUnixNanos(atMs)}.json${suffix}`, current.bytes)
}

/** Writes the checkpoint of a new stack. Returns the stored bytes. Throws STACK_EXISTS. */
export async function createEmptyCheckpoint(backend: Backend, id: StackId): Promise<Uint8Array> {
  if ((await findCheckpointKey(backend, id)) !== undefined)
    throw createError('STACK_EXISTS', `the stack ${id} already exists in ${backend.store.address}`)
  const { qualifiedName } = stackKeysOf(backend.layout, id)
  const checkpoint = printEmptyCheckpoint(qualifiedName)
  return saveCheckpoint(backend, id, { checkpoint, previous: undefined })
}

/**
 * Removes a stack with its tags and history. Its checkpoint remains as a `.bak` copy, and its
 * backups remain.
 */
export async function removeStackObjects(backend: Backend, id: StackId): Promise<void> {
  const { store } = backend
  const current = await readCheckpoint(backend, id)
  if (current !== undefined) {
    await store.put(`${current.key}.bak`, current.bytes)
    await store.remove(current.key)
  }
  await removeTagsAndHistory(backend, id)
}

/** Removes the tags and the history of a stack. Repeatable. */
export async function removeTagsAndHistory(backend: Backend, id: StackId): Promise<void> {
  const { tags, history } = stackKeysOf(backend.layout, id)
  await backend.store.remove(tags)
  for (const key of await listDirectly(backend, history)) await backend.store.remove(key)
}

/**
 * Lists the keys of the objects directly below a prefix that ends with `/`. Objects further below
 * belong to stacks of the other layout.
 */
export async function listDirectly({ store }: Backend, prefix: string): Promise<readonly string[]> {
  const entries = await store.list(prefix)
  return entries.map(({ key }) => key).filter(key => !key.slice(prefix.length).includes('/'))
}

/** Returns a time in nanoseconds since 1970, as in Pulumi's names of files. */
export function toUnixNanos(atMs: number): string {
  return `${atMs}000000`
}
