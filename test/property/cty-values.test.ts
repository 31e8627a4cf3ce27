import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compareNumbers,
  formatCtyNumber,
  parseCtyNumber,
} from '../../shared/providers/terraform/values/cty-number.ts'
import {
  containsDynamic,
  areEqualTypes,
} from '../../shared/providers/terraform/values/type-system.ts'
import { isWhollyKnown, numberOf } from '../../shared/providers/terraform/values/cty-value.ts'
import { decodeCtyJson } from '../../shared/providers/terraform/values/decode-json.ts'
import { decodeMsgpack } from '../../shared/providers/terraform/values/decode-msgpack.ts'
import { encodeCtyJson } from '../../shared/providers/terraform/values/encode-json.ts'
import { encodeMsgpack } from '../../shared/providers/terraform/values/encode-msgpack.ts'
import { areEqualRaw } from '../../shared/providers/terraform/values/raw-equality.ts'
import { numberType } from '../../shared/providers/terraform/values/type-system.ts'
import { compareSemantically } from '../../shared/providers/terraform/values/semantic-equality.ts'
import { formatTypeJson, parseTypeJson } from '../../shared/providers/terraform/values/type-json.ts'
import {
  replaceUnknowns,
  transformValue,
} from '../../shared/providers/terraform/values/walk-value.ts'
import { hasCode } from '../../shared/errors/error.ts'
import { ctyTypes, floats, valuePairs } from './cty.fixture.ts'

test('a type survives its JSON form', () => {
  fc.assert(
    fc.property(ctyTypes, type => {
      expect(areEqualTypes(parseTypeJson(formatTypeJson(type)), type)).toBe(true)
    }),
  )
})

test('a value survives MessagePack if its declared type has no dynamic part', () => {
  fc.assert(
    fc.property(valuePairs, ({ declared, first }) => {
      fc.pre(!containsDynamic(declared))
      const decoded = decodeMsgpack(encodeMsgpack(first, declared), declared)
      expect(areEqualRaw(decoded, first, { ignoresRefinements: true })).toBe(true)
    }),
  )
})

test('a known value survives JSON if its declared type has no dynamic part', () => {
  fc.assert(
    fc.property(valuePairs, ({ declared, first }) => {
      const known = replaceUnknowns(first)
      fc.pre(!containsDynamic(declared))
      try {
        expect(areEqualRaw(decodeCtyJson(encodeCtyJson(known, declared), declared), known)).toBe(
          true,
        )
      } catch (thrown) {
        // Infinities have no JSON form.
        expect(hasCode(thrown, 'TERRAFORM_PROVIDER_BUG') && /infinite/.test(thrown.message)).toBe(
          true,
        )
      }
    }),
  )
})

test('if the decoder of MessagePack refuses damaged bytes, the error has the code TERRAFORM_PROVIDER_BUG', () => {
  fc.assert(
    fc.property(valuePairs, fc.nat(), fc.integer({ min: 0, max: 255 }), (pair, position, byte) => {
      const bytes = encodeMsgpack(pair.first, pair.declared)
      bytes[position % bytes.length] = byte
      try {
        decodeMsgpack(bytes, pair.declared)
      } catch (thrown) {
        expect(hasCode(thrown, 'TERRAFORM_PROVIDER_BUG')).toBe(true)
      }
    }),
  )
})

test('a double survives MessagePack bit by bit', () => {
  fc.assert(
    fc.property(floats, number => {
      const bytes = encodeMsgpack(numberOf(number), numberType)
      expect(encodeMsgpack(decodeMsgpack(bytes, numberType), numberType)).toEqual(bytes)
    }),
  )
})

test('a number equals the number that is parsed from its text', () => {
  fc.assert(
    fc.property(floats, number => {
      const parsed = parseCtyNumber(formatCtyNumber(number))
      expect(parsed !== undefined && compareNumbers(parsed, number) === 0).toBe(true)
    }),
  )
})

test('both equalities are symmetric, and structurally equal known values are semantically equal', () => {
  fc.assert(
    fc.property(valuePairs, ({ first, second }) => {
      const isSame = areEqualRaw(first, second)
      expect(areEqualRaw(second, first)).toBe(isSame)
      expect(compareSemantically(second, first)).toBe(compareSemantically(first, second))
      if (isWhollyKnown(first) && isWhollyKnown(second) && isSame)
        expect(compareSemantically(first, second)).toBe(true)
    }),
  )
})

test('a transformation that changes nothing returns an equal value', () => {
  fc.assert(
    fc.property(valuePairs, ({ first }) => {
      expect(
        areEqualRaw(
          transformValue(first, part => part),
          first,
        ),
      ).toBe(true)
    }),
  )
})
