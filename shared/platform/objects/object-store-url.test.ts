import { expect, test } from 'vitest'
import { addressOfBucket, parseObjectStoreUrl } from './object-store-url.ts'

test.each([
  ['s3://bucket/team%20a', 'team a/'],
  ['gs://bucket/a%2Fb', 'a/b/'],
  ['azblob://box/a%25b/%C3%BC', 'a%b/ü/'],
  ['file:///tmp/team%20a', '/tmp/team a'],
])('the path of %s is decoded', (address, prefix) => {
  expect(parseObjectStoreUrl(address, '/').prefix).toBe(prefix)
})

test.each(['team%20a', 'a%25b/%C3%BC', 'a%3Fb%23c'])(
  'the address of the folder %s is parsed to the same folder again',
  folder => {
    const url = parseObjectStoreUrl(`s3://bucket/${folder}`, '/')
    expect(parseObjectStoreUrl(addressOfBucket(url), '/')).toEqual(url)
  },
)

test.each(['s3://bucket/%zz', 'file:///tmp/%', 's3://bucket/a%2F..%2Fb'])(
  'the address %s is refused',
  address => {
    expect(() => parseObjectStoreUrl(address, '/')).toThrow(
      expect.objectContaining({ code: 'BACKEND_URL_INVALID' }),
    )
  },
)
