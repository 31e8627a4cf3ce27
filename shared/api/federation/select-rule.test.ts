import { expect, test } from 'vitest'
import { matchesConditions } from './select-rule.ts'

const claims = {
  repository: 'acme/shop',
  sub: 'repo:acme/shop:ref:refs/heads/main',
  run_attempt: 2,
  protected: true,
  groups: ['dev', 'ops'],
  nested: { a: 'b' },
  empty: null,
  long: 'x'.repeat(501),
}

test.each([
  [{ repository: 'acme/shop' }, true],
  [{ repository: 'acme/*' }, true],
  [{ repository: '*' }, false],
  [{ repository: 'acme/shop2' }, false],
  [{ repository: 'ACME/shop' }, false],
  [{ sub: 'repo:acme/shop:*' }, false],
  [{ sub: 'repo:acme/shop:**' }, true],
  [{ run_attempt: '2' }, true],
  [{ protected: 'true' }, true],
  [{ groups: 'ops' }, true],
  [{ groups: 'dev,ops' }, false],
  [{ nested: '**' }, false],
  [{ empty: '**' }, false],
  [{ absent: '**' }, false],
  [{ toString: '**' }, false],
  [{ long: '**' }, false],
  [{ repository: 'acme/shop', groups: 'other' }, false],
])('matchesConditions with the conditions %o returns %s', (conditions, isMatch) => {
  expect(matchesConditions(conditions as Record<string, string>, claims)).toBe(isMatch)
})
