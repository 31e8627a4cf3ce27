import { expect, test } from 'vitest'
import { escapedInGo } from './go-printable.ts'

test.each([
  ['a', 'a'],
  ['é', 'é'],
  ['"', '<22>'],
  ['\\', '<5c>'],
  ['\n', '<a>'],
  ['\u00a0', '<a0>'],
  // Unicode 15.1 and 17.0 added these characters, which Go 1.26 does not know yet.
  ['\u2ffd', '<2ffd>'],
  ['\u{323b0}', '<323b0>'],
  // Unicode 15.0 has this one.
  ['\u{31350}', '\u{31350}'],
])('Go 1.26 prints %j as %j, where <…> is an escape', (character, expected) => {
  const printed = character.replaceAll(
    escapedInGo,
    escaped => `<${escaped.codePointAt(0)?.toString(16)}>`,
  )
  expect(printed).toBe(expected)
})
