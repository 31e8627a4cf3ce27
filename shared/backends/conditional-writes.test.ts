import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createError } from '../errors/error.ts'
import { createFileObjects } from '../platform/objects/file-objects.ts'
import type { ObjectStorePort } from '../ports/objects.ts'
import { hasConditionalWrites } from './conditional-writes.ts'

let folder: string
let store: ObjectStorePort
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-conditions-'))
  store = createFileObjects(folder, { hasAttributes: false })
  await store.put('lock', Buffer.from('mine'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const refuse = (): Promise<never> =>
  Promise.reject(createError('BACKEND_CONDITION_REFUSED', 'no header'))

test('hasConditionalWrites is true for a store that obeys conditions, and the object stays the same', async () => {
  expect(await hasConditionalWrites(store, 'lock')).toBe(true)
  expect(String(await store.get('lock'))).toBe('mine')
  expect(await hasConditionalWrites(store, 'missing')).toBe(true)
  expect(await store.get('missing')).toBeUndefined()
})

test('hasConditionalWrites is false for a store that ignores or refuses conditions, and the object stays the same', async () => {
  const putUnconditionally = async (key: string, bytes: Uint8Array): Promise<boolean> => {
    await store.put(key, bytes)
    return true
  }
  for (const putIfAbsent of [putUnconditionally, refuse])
    expect(await hasConditionalWrites({ ...store, putIfAbsent }, 'lock')).toBe(false)
  expect(String(await store.get('lock'))).toBe('mine')
})

test('hasConditionalWrites throws the error of a store that refuses every write', async () => {
  const put = () => Promise.reject(createError('BACKEND_DENIED', 'no permission'))
  const denying = { ...store, put, putIfAbsent: refuse }
  await expect(hasConditionalWrites(denying, 'lock')).rejects.toMatchObject({
    code: 'BACKEND_DENIED',
  })
})
