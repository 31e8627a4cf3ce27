import { expect, test } from 'vitest'
import { toSemver } from './python-version.ts'

test.each([
  ['1.2.3', '1.2.3'],
  ['1.2', '1.2.0'],
  ['7', '7.0.0'],
  ['1.2.3a4', '1.2.3-alpha.4'],
  ['1.2b3', '1.2.0-beta.3'],
  ['1.0.0rc1', '1.0.0-rc.1'],
  ['1.0.0.post2', '1.0.0+post2'],
  ['1.0.0.dev5', '1.0.0+dev5'],
  ['1.0.0a1.post2.dev3', '1.0.0-alpha.1+post2dev3'],
  ['2!1.0', undefined],
  ['1.0-unheard', undefined],
  ['', undefined],
])('the Python version %j is converted to %j', (version, expected) => {
  expect(toSemver(version)).toBe(expected)
})
