import { expect, test } from 'vitest'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createSecretFinder } from './secret-finder.ts'

const text = 'hünter-"two" & a half'
const finder = createSecretFinder({ password: text, other: 'not-there-at-all' })
const compress = (bytes: string | Buffer): Buffer => gzipSync(bytes)

test.each<[string, Buffer]>([
  ['unencoded', Buffer.from(`before ${text} after`)],
  ['in JSON', Buffer.from(JSON.stringify({ key: text }))],
  ['in an address', Buffer.from(`https://x/?q=${encodeURIComponent(text)}`)],
  ['in hex', Buffer.from(`00${Buffer.from(text).toString('hex')}ff`)],
  ...['', 'a', 'ab', 'abc'].map((before): [string, Buffer] => [
    `in base64 after ${before.length} bytes`,
    Buffer.from(Buffer.from(`${before}${text} and more`).toString('base64')),
  ]),
  ['compressed', compress(`x ${text}`)],
  ['compressed by zstd', zstdCompressSync(`x ${text}`)],
  [
    'compressed, in base64, in JSON',
    Buffer.from(JSON.stringify({ B: compress(text).toString('base64') })),
  ],
  ['compressed twice', compress(JSON.stringify({ B: compress(text).toString('base64') }))],
])('a secret is found %s', (_, bytes) => {
  expect([...finder.findIn(bytes)]).toEqual(['password'])
})

test('an absent secret is not found', () => {
  expect([...finder.findIn(compress('nothing of that'))]).toEqual([])
})
