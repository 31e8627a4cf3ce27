import { expect, test } from 'vitest'
import { shortenToken } from './shorten-token.ts'

test('a short type omits the repeated file of its module, the module index, and the package of the stack', () => {
  const types = [
    'aws:s3/bucket:Bucket',
    'kubernetes:core/v1:Pod',
    'pkg:index:Thing',
    'local:index/file:File',
    'pulumi:pulumi:Stack',
    'pulumi:providers:aws',
    'case:index:Group',
    'odd',
  ]
  expect(types.map(shortenToken)).toEqual([
    'aws:s3:Bucket',
    'kubernetes:core/v1:Pod',
    'pkg:Thing',
    'local:File',
    'Stack',
    'pulumi:providers:aws',
    'case:Group',
    'odd',
  ])
})
