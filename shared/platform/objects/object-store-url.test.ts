import { expect, test } from 'vitest'
import { parseObjectStoreUrl } from './object-store-url.ts'

test.each([
  ['s3://bucket/team%20a', 'team a/'],
  ['gs://bucket/a%2Fb', 'a/b/'],
  ['azblob://box/a%25b/%C3%BC', 'a%b/ü/'],
  ['file:///tmp/team%20a', '/tmp/team a'],
])('the path of %s is decoded', (address, prefix) => {
  expect(parseObjectStoreUrl(address, '/').prefix).toBe(prefix)
})

test.each(['s3://bucket/%zz', 'file:///tmp/%', 's3://bucket/a%2F..%2Fb'])(
  'the address %s is refused',
  address => {
    expect(() => parseObjectStoreUrl(address, '/')).toThrow(
      expect.objectContaining({ code: 'BACKEND_URL_INVALID' }),
    )
  },
)
