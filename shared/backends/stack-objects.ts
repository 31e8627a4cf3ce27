import { error } from '../errors/error.ts'
import { type StackId } from '../records/ids.ts'
import { stackKeysOf } from './backend-keys.ts'
import { compress, compressionSuffixes } from './compression.ts'
import { parseCheckpoint, printEmptyCheckpoint } from './checkpoint-file.ts'
import type { Backend } from './open-backend.ts'
import type { StoredEnvelope } from '../state/stored.ts'

/** The checkpoint of a stack: its key, its bytes as stored, and its contents. */
export interface StackObject {
  readonly key: string
  readonly bytes: Uint8Array
}

/**
 * Returns the key of a stack's checkpoint: the most recently written one of its compressions.
 * Returns undefined if the stack does not exist.
 */
async function findCheckpointKey(backend: Backend, id: StackId): Promise<string | undefined> {
  const { checkpoint } = stackKeysOf(backend.layout, id)
  const candidates = Object.values(compressionSuffixes).map(suffix => checkpoint + suffix)
  const entries = (await backend.store.list(checkpoint)).filter(({ key }) =>
    candidates.includes(key),
  )
  const newest = entries.toSorted((a, b) => a.modifiedMs - b.modifiedMs).at(-1)
  return newest?.key
}

/** Returns the checkpoint of a stack. Returns undefined if the stack does not exist. */
export async function readStackObject(
  backend: Backend,
  id: StackId,
): Promise<StackObject | undefined> {
  const key = await findCheckpointKey(backend, id)
  const bytes = key === undefined ? undefined : await backend.store.get(key)
  return key === undefined || bytes === undefined ? undefined : { key, bytes }
}

/** Reads the state of a stack. Throws BACKEND_INVALID, STATE_TOO_NEW. */
export function parseStackObject({ key, bytes }: StackObject): StoredEnvelope {
  return parseCheckpoint(bytes, key)
}

/**
 * Writes the checkpoint of a stack. The previous one becomes its `.bak` copy first. The stack always
 * has a checkpoint, because it exists as long as its checkpoint. Returns the stored bytes.
 */
export async function saveCheckpoint(
  backend: Backend,
  id: StackId,
  checkpoint: Uint8Array,
): Promise<Uint8Array> {
  const { store, compression, env } = backend
  const key = stackKeysOf(backend.layout, id).checkpoint + compressionSuffixes[compression]
  const previous = await readStackObject(backend, id)
  if (previous !== undefined) await store.put(`${previous.key}.bak`, previous.bytes)
  const bytes = compress(checkpoint, compression)
  await store.put(key, bytes)
  if (previous !== undefined && previous.key !== key) await store.remove(previous.key)
  if (isOn(env, 'PULUMI_RETAIN_CHECKPOINTS') || isOn(env, 'PULUMI_DIY_BACKEND_RETAIN_CHECKPOINTS'))
    await store.put(`${key}.${unixNanos(Date.now())}`, bytes)
  return bytes
}

/** Copies the checkpoint of a stack to the backups, unless the environment disables backups. */
export async function backUpStack(backend: Backend, id: StackId, atMs: number): Promise<void> {
  const { store, env } = backend
  if (isOn(env, 'PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS')) return
  const current = await readStackObject(backend, id)
  if (current === undefined) return
  const { checkpoint, backups, fileName } = stackKeysOf(backend.layout, id)
  const suffix = current.key.slice(checkpoint.length)
  await store.put(`${backups}${fileName}.${unixNanos(atMs)}.json${suffix}`, current.bytes)
}

/** Writes the checkpoint of a new stack. Returns the stored bytes. Throws STACK_EXISTS. */
export async function createStackObject(backend: Backend, id: StackId): Promise<Uint8Array> {
  if ((await findCheckpointKey(backend, id)) !== undefined)
    throw error('STACK_EXISTS', `the stack ${id} exists already in ${backend.store.address}`)
  const { qualifiedName } = stackKeysOf(backend.layout, id)
  return saveCheckpoint(backend, id, printEmptyCheckpoint(qualifiedName))
}

/**
 * Removes a stack with its tags and history. Its checkpoint remains as `.bak` copy, and its backups
 * remain.
 */
export async function removeStackObjects(backend: Backend, id: StackId): Promise<void> {
  const { store } = backend
  const keys = stackKeysOf(backend.layout, id)
  const current = await readStackObject(backend, id)
  if (current !== undefined) {
    await store.put(`${current.key}.bak`, current.bytes)
    await store.remove(current.key)
  }
  await store.remove(keys.tags)
  for (const prefix of [keys.history, keys.journal])
    for (const { key } of await store.list(prefix)) await store.remove(key)
}

/** Returns a time as Pulumi's names of files have it. */
export function unixNanos(atMs: number): string {
  return `${atMs}000000`
}

function isOn(env: Backend['env'], name: string): boolean {
  return ['1', 'true'].includes((env[name] ?? '').toLowerCase())
}
