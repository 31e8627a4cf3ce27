import { expect, test } from 'vitest'
import type { FederationRule } from './federation-rule.ts'
import { matchesConditions, selectRule } from './select-rule.ts'

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

test('selectRule admits an audience that is a text or an item of a list, and no other form of it', () => {
  const rule: FederationRule = {
    name: 'deploys',
    version: 1,
    issuer: 'https://issuer.example.com',
    audience: 'antichain',
    claims: { repository: 'acme/*' },
    role: 'deploy',
    lifetimeSeconds: 900,
    isPaused: false,
  }
  const select = (aud: unknown) => selectRule([rule], { repository: 'acme/shop', aud }, undefined)
  for (const aud of ['antichain', ['other', 'antichain']]) expect(select(aud)).toBe(rule)
  const deep: unknown = JSON.parse(`${'['.repeat(5_000)}"antichain"${']'.repeat(5_000)}`)
  for (const aud of [[['antichain']], { toString: 1 }, [{ a: 1 }], deep, undefined])
    expect(() => select(aud)).toThrow(expect.objectContaining({ code: 'OIDC_AUDIENCE_WRONG' }))
})
