import { expect, test } from 'vitest'
import { requireProjectName, toProjectName } from './project-name.ts'

test.each(['shop', 'A_b.c-9', 'pulumi-shop', 'x'.repeat(100)])(
  'requireProjectName accepts %s',
  name => expect(requireProjectName(name)).toBe(name),
)

test.each(['', 'a b', '../a', 'größe', 'x'.repeat(101), 'Pulumi', 'pulumi.shop'])(
  'requireProjectName refuses %j',
  name => expect(() => requireProjectName(name)).toThrow(/'.*'/),
)

test.each(['a b/c', '', 'pulumi', 'x'.repeat(200)])(
  'toProjectName returns a valid name for %j',
  text => expect(() => requireProjectName(toProjectName(text))).not.toThrow(),
)
