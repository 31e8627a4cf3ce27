import { expect, test } from 'vitest'
import { type Claim, containsClaim, emptyClaim, findTouchedUrn, unionOfClaims } from './claim.ts'

const claimOf = (changes: string[], reads: string[] = []): Claim => ({
  changes: new Set(changes),
  reads: new Set(reads),
})

test('two claims touch at a resource that one changes and the other one changes or reads', () => {
  expect(findTouchedUrn(claimOf(['a'], ['p']), claimOf(['b'], ['p']))).toBeUndefined()
  expect(findTouchedUrn(claimOf(['x', 'a']), claimOf(['a']))).toBe('a')
  expect(findTouchedUrn(claimOf(['a']), claimOf(['b'], ['a']))).toBe('a')
  expect(findTouchedUrn(claimOf(['b'], ['a']), claimOf(['a']))).toBe('a')
})

test('a claimed change may also be read, a claimed read may not be changed, and a union has the URNs of both claims', () => {
  const claim = claimOf(['a'], ['p'])
  expect(containsClaim(claim, emptyClaim)).toBe(true)
  expect(containsClaim(claim, claimOf([], ['a', 'p']))).toBe(true)
  expect(containsClaim(claim, claimOf(['p']))).toBe(false)
  expect(unionOfClaims(claim, claimOf(['p'], ['q']))).toEqual(claimOf(['a', 'p'], ['p', 'q']))
})
