import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffInputs } from '../../shared/values/diff.ts'
import { areEqualMaps, areEqualValues } from '../../shared/values/equal.ts'
import type { Json } from '../../shared/values/json.ts'
import { formatPath, getAtPath, parsePath, resetPaths } from '../../shared/values/path.ts'
import { decodeStoredMap, encodeStoredMap } from '../../shared/values/value-codec.ts'
import { isMap } from '../../shared/values/value.ts'
import {
  containsSecret,
  restoreSecretMarks,
  stripSecretsInMap,
} from '../../shared/values/special-values.ts'
import { keys, maps } from './values.fixture.ts'

const seal = (plaintext: string) => ({ ciphertext: `<${plaintext}>` })
const toPlaintext = (plaintext: string) => ({ plaintext })
const open = (ciphertext: string): string => ciphertext.slice(1, -1)

function printAndParse(json: Json): { readonly [key: string]: Json } {
  return JSON.parse(JSON.stringify(json)) as { [key: string]: Json }
}

test('a value survives its stored form, sealed or in plaintext', () => {
  fc.assert(
    fc.property(maps, fc.boolean(), (map, isSealed) => {
      const stored = encodeStoredMap(map, isSealed ? seal : toPlaintext)
      const encodedAgain = encodeStoredMap(
        decodeStoredMap(printAndParse(stored), open),
        isSealed ? seal : toPlaintext,
      )
      expect(encodedAgain).toEqual(printAndParse(stored))
      // Compared without JSON, because JSON.stringify loses the sign of negative zero.
      expect(decodeStoredMap(stored, open)).toEqual(map)
    }),
  )
})

test('the order in which keys were set does not affect the stored form', () => {
  fc.assert(
    fc.property(maps, map => {
      const reversed = new Map([...map].reverse())
      expect(JSON.stringify(encodeStoredMap(reversed, toPlaintext))).toBe(
        JSON.stringify(encodeStoredMap(map, toPlaintext)),
      )
    }),
  )
})

test('the diff of the engine finds a difference exactly if the maps without secret wrappers differ', () => {
  fc.assert(
    fc.property(maps, maps, (a, b) => {
      const isSame = areEqualMaps(stripSecretsInMap(a), stripSecretsInMap(b))
      expect(diffInputs(a, b) === undefined).toBe(isSame)
    }),
  )
})

test('the equality of maps is symmetric', () => {
  fc.assert(
    fc.property(maps, maps, (a, b) => {
      expect(areEqualMaps(a, b)).toBe(areEqualMaps(b, a))
    }),
  )
})

/** Keys that a path can name: `*` is the wildcard, and a path does not escape backslashes. */
const pathNames = keys.filter(key => key !== '*' && !key.includes('\\'))

test('a path is parsed as it was formatted', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pathNames, fc.nat())), path => {
      expect(parsePath(formatPath(path))).toEqual(path)
    }),
  )
})

test('a reset path has its old value, and no other value changes', () => {
  fc.assert(
    fc.property(maps, maps, pathNames, (old, next, key) => {
      const { inputs, unresetPaths } = resetPaths(old, next, [formatPath([key])])
      expect(unresetPaths).toEqual([])
      expect(getAtPath(inputs, [key])).toEqual(old.get(key))
      for (const [name, value] of next) if (name !== key) expect(inputs.get(name)).toBe(value)
    }),
  )
})

test('restored marks make a returned value secret exactly if the sent value contains a secret', () => {
  fc.assert(
    fc.property(maps, sent => {
      const marked = restoreSecretMarks(sent, stripSecretsInMap(sent))
      for (const [key, value] of sent)
        expect(containsSecret(marked.get(key))).toBe(containsSecret(value))
      expect(
        areEqualValues(stripSecretsInMap(marked), stripSecretsInMap(sent)) || containsNaN(sent),
      ).toBe(true)
    }),
  )
})

/** Reports whether a value contains NaN, which does not equal itself. */
function containsNaN(value: unknown): boolean {
  if (Number.isNaN(value)) return true
  if (Array.isArray(value)) return value.some(containsNaN)
  if (typeof value !== 'object' || value === null) return false
  if (isMap(value as never)) return [...(value as Map<string, unknown>).values()].some(containsNaN)
  return 'value' in value && containsNaN(value.value)
}
