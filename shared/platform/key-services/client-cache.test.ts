import { expect, test } from 'vitest'
import { createClientCache } from './client-cache.ts'

test('createClientCache opens a client once, and again after a failure or after forget', async () => {
  let openings = 0
  const cache = createClientCache(async (key: string) => {
    openings += 1
    if (openings === 1) throw new Error('the module cannot be loaded')
    return `${key} ${openings}`
  })
  await expect(cache.get('a')).rejects.toThrow('cannot be loaded')
  expect(await Promise.all([cache.get('a'), cache.get('a'), cache.get('b')])).toEqual([
    'a 2',
    'a 2',
    'b 3',
  ])
  cache.forget('a')
  expect(await cache.get('a')).toBe('a 4')
})
