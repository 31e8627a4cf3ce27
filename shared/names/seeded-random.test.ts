import { expect, test } from 'vitest'
import { createSeededRandom } from './seeded-random.ts'

const characters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

// Values that lukechampine.com/frand 1.5.1, which Pulumi uses, produces from the same seed.
test('a seed yields the same numbers as in Pulumi, over many rounds', () => {
  const random = createSeededRandom(Buffer.from('seed'))
  const nextWord = (length: number): string =>
    Array.from({ length }, () => characters[random.nextBelow(characters.length)]).join('')
  expect(toHex(random.nextBytes(5))).toBe('f6af37480a')
  expect(nextWord(12)).toBe('3mhasac71fxr')
  expect(nextWord(300).slice(280)).toBe('7vms32j30bzlxwlq6dvt')
  expect(toHex(random.nextBytes(5000).subarray(4990))).toBe('3d55b31bca30d0cd1ab3')
  expect(toHex(random.nextBytes(16))).toBe('f1fdc646408be5ea5d7b9932061af486')
})
