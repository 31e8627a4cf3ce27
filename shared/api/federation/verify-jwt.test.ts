import { expect, test } from 'vitest'
import { readUnverifiedIssuer } from './verify-jwt.ts'

/** Creates an unsigned token. `alg` is the JSON of its algorithm. */
function createToken(alg: string): string {
  const parts = [`{"alg":${alg}}`, '{"iss":"https://issuer.example.com"}']
  return [...parts.map(part => Buffer.from(part).toString('base64url')), 'c2ln'].join('.')
}

test('a token whose algorithm is no text is refused, also with thousands of levels', () => {
  expect(readUnverifiedIssuer(createToken('"RS256"'))).toBe('https://issuer.example.com')
  const deep = `${'['.repeat(5_000)}"RS256"${']'.repeat(5_000)}`
  for (const alg of ['["RS256"]', '{"toString":1}', deep])
    expect(() => readUnverifiedIssuer(createToken(alg))).toThrow(
      expect.objectContaining({ code: 'OIDC_TOKEN_INVALID' }),
    )
})
