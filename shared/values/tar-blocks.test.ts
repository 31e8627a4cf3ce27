import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { emptyArchiveHash } from './wire-options.ts'
import { createTarBlocks, tarEnd } from './tar-blocks.ts'

function hashOf(...names: readonly string[]): string {
  const hash = createHash('sha256')
  for (const name of names)
    for (const block of createTarBlocks({ name, data: Buffer.from(`hi ${name}`) }))
      hash.update(block)
  return hash.update(tarEnd).digest('hex')
}

test('a tar without members has the known hash of an empty archive', () => {
  expect(hashOf()).toBe(emptyArchiveHash)
})

/** Hashes of the output of Go's archive/tar for the same members. */
test.each<[string, readonly string[], string]>([
  [
    'short names',
    ['a/x', 'a.txt'],
    'a82246e1b739ddcb47555c241738cd77cd860fa3036524cdaa6c7c53a6706d00',
  ],
  [
    'a name in two fields',
    [`${'d'.repeat(90)}/${'f'.repeat(60)}`],
    'ca93550e73a3a9ba159ef237d71445b5d56f74bf0172b87447f58d1f53801fae',
  ],
  [
    'the longest name in two fields',
    [`${'d'.repeat(155)}/${'f'.repeat(100)}`],
    '6fe7a0c2c10b613296df7ec19f65b0ba01a72de9a8034a93651f56286161b891',
  ],
  [
    'a name that is split late',
    [`${'d/'.repeat(60)}f`],
    '330a148d8fe3a9cd89f99d233b814f84fd69a9dfc0a6db1c656870f52c35dd74',
  ],
  [
    'a name that cannot be split',
    ['x'.repeat(120)],
    '1daa1314829920846ac1ea63d4ce83bad0083a605f327d4156757aec8f6bb9ea',
  ],
  [
    'a short folder and a name that is too long for its field',
    [`${'d'.repeat(50)}/${'x'.repeat(120)}`],
    'e4fc80a91475504ae137b49f93396989ad24a030cd26e719d69dbc65acb3f5dc',
  ],
  [
    'names beyond ASCII',
    ['straße/ü.txt'],
    'c82ef0cc655de073531e503b8dcd19fa4c4769fb1134fb97fbe8f0412ce0678d',
  ],
  [
    'a name without ASCII characters',
    ['日本'],
    '7c33f677a5488cf289eafba1b4d40e4e5ce673baf85d34d02ef26db46606215c',
  ],
  [
    'a record whose length changes its number of digits',
    [`ü${'y'.repeat(99)}`],
    '1b09498e54834021a06fdb97d087d57dad8f2482d31e2be8a2742ff9f9033925',
  ],
  [
    'a name whose field would end with a slash',
    [`${'d'.repeat(99)}/${'x'.repeat(120)}`],
    '41407dc782e6253a295ab1943f94808b3d9b31fb15be6d68d5762bbbc4285a8b',
  ],
  [
    'a name whose field would end with three slashes',
    [`${'d'.repeat(97)}///${'x'.repeat(120)}`],
    '8d54ab9e641ff7786a90186c77ce40b639ca77903f2e5a04cabfc51cce74c354',
  ],
  [
    'a name outside the folder',
    ['../é.txt'],
    '112cf636bdfcf227531fafbfaed94099dbd9c27ea0d6d6b271cd608032345b5a',
  ],
])('a tar equals the output of Go with %s', (_name, names, hash) => {
  expect(hashOf(...names)).toBe(hash)
})
