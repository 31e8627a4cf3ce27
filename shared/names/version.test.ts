import { expect, test } from 'vitest'
import { completeVersion } from './version.ts'

test.each([
  ['1.2.3', '1.2.3'],
  [' v1.2.3 ', '1.2.3'],
  ['1', '1.0.0'],
  ['v1.2', '1.2.0'],
  ['01.002.0', '1.2.0'],
  ['1.2.3-alpha.1', '1.2.3-alpha.1'],
  ['1.2-alpha.1', undefined],
  ['1.2.3+build', '1.2.3+build'],
  ['', undefined],
  ['new', undefined],
  ['1.2.3.4', undefined],
  ['1.2.3-', undefined],
])('the version %j is completed to %j', (text, expected) => {
  expect(completeVersion(text)).toBe(expected)
})
