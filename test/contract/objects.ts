import { describe, expect, test } from 'vitest'
import type { ObjectStorePort } from '../../shared/ports/objects.ts'
import { type OpenAdapter, withAdapter } from './open-adapter.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined ? undefined : new TextDecoder().decode(bytes)

/** Tests the objects of a self-managed backend. */
export function defineObjectsContract(name: string, open: OpenAdapter<ObjectStorePort>): void {
  describe(`objects: ${name}`, () => {
    let store: ObjectStorePort
    withAdapter(open, opened => {
      store = opened
    })

    test('an object is read as it was put, and a put replaces it', async () => {
      expect(await store.get('a/missing.json')).toBeUndefined()
      await store.put('a/one.json', bytesOf('first'))
      await store.put('a/one.json', bytesOf('second'))
      expect(textOf(await store.get('a/one.json'))).toBe('second')
    })

    test('a put if absent replaces no object, and only one of several concurrent ones succeeds', async () => {
      const results = await Promise.all(
        [1, 2, 3, 4].map(number => store.putIfAbsent('b/0001', bytesOf(String(number)))),
      )
      expect(results.filter(isWinner => isWinner)).toHaveLength(1)
      expect(textOf(await store.get('b/0001'))).toBe(String(results.indexOf(true) + 1))
      expect(await store.putIfAbsent('b/0001', bytesOf('late'))).toBe(false)
    })

    test('a list has the keys below a prefix in order, also more than one page', async () => {
      const names = Array.from({ length: 1_005 }, (_, index) => String(index).padStart(5, '0'))
      for (let start = 0; start < names.length; start += 67)
        await Promise.all(
          names.slice(start, start + 67).map(key => store.put(`c/${key}`, bytesOf(key))),
        )
      await store.put('cc', bytesOf('other'))
      const entries = await store.list('c/')
      expect(entries.map(({ key }) => key)).toEqual(names.map(key => `c/${key}`))
      // The bound is a time in 2020, in milliseconds. A time in seconds is smaller.
      expect(entries.every(({ modifiedMs }) => modifiedMs > 1_600_000_000_000)).toBe(true)
      expect((await store.list('c/0100')).map(({ key }) => key)).toHaveLength(5)
      expect(await store.list('nothing/')).toEqual([])
    })

    test('a removed object is gone, and a second remove does nothing', async () => {
      await store.put('d/one', bytesOf('x'))
      await store.remove('d/one')
      await store.remove('d/one')
      expect(await store.get('d/one')).toBeUndefined()
      expect(await store.list('d/')).toEqual([])
    })
  })
}
