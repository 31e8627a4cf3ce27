import { expect, test } from 'vitest'
import { singularize } from './singular.ts'

// With another rule, the name of a type would differ from that in the SDKs of Pulumi's bridge.
test.each([
  ['corsRules', 'corsRule'],
  ['policies', 'policy'],
  ['addresses', 'address'],
  ['statuses', 'status'],
  ['indices', 'index'],
  ['people', 'person'],
  ['notIns', 'notIn'],
  ['access', 'access'],
  ['dns', 'dn'],
  ['series', 'series'],
  ['rule', 'rule'],
])('the singular of %s is %s', (plural, singular) => {
  expect(singularize(plural)).toBe(singular)
})
