import fc from 'fast-check'
import {
  listOf,
  mapOf,
  objectOf,
  setOf,
  tupleOf,
} from '../../shared/providers/terraform/values/build-value.ts'
import {
  type CtyNumber,
  compareNumbers,
  convertFloat,
  parseCtyNumber,
} from '../../shared/providers/terraform/values/cty-number.ts'
import {
  type CtyType,
  boolType,
  dynamicType,
  listType,
  mapType,
  numberType,
  createObjectType,
  setType,
  stringType,
  createTupleType,
} from '../../shared/providers/terraform/values/type-system.ts'
import {
  type CtyValue,
  boolOf,
  nullOf,
  numberOf,
  stringOf,
} from '../../shared/providers/terraform/values/cty-value.ts'
import type { Refinements } from '../../shared/providers/terraform/values/refinements.ts'
import { unknownOf } from '../../shared/providers/terraform/values/unknown-value.ts'

const names = fc.constantFrom('a', 'b', 'id', 'é', 'z9', '__proto__', 'constructor', '10', '<&>')
const primitives = fc.constantFrom(stringType, numberType, boolType)

/** Generates types with these leaves. `concrete`: the element types of sets; if absent, any. */
function typesOf(leaf: fc.Arbitrary<CtyType>, concrete?: fc.Arbitrary<CtyType>) {
  return fc.letrec<{ type: CtyType }>(tie => ({
    type: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 3 },
      { arbitrary: leaf, weight: 3 },
      { arbitrary: tie('type').map(listType), weight: 1 },
      { arbitrary: (concrete ?? tie('type')).map(setType), weight: 1 },
      { arbitrary: tie('type').map(mapType), weight: 1 },
      {
        arbitrary: fc.array(fc.tuple(names, tie('type')), { maxLength: 4 }).map(createObjectType),
        weight: 2,
      },
      { arbitrary: fc.array(tie('type'), { maxLength: 3 }).map(createTupleType), weight: 1 },
    ),
  })).type
}

const concreteTypes = typesOf(primitives)

/** Any type that a schema can declare. */
export const ctyTypes: fc.Arbitrary<CtyType> = typesOf(
  fc.oneof(
    { arbitrary: primitives, weight: 4 },
    { arbitrary: fc.constant(dynamicType), weight: 1 },
  ),
  concreteTypes,
)

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 5 }),
  fc.constantFrom(
    '',
    'a',
    'b',
    '"\\',
    '\n\u0001\u007f',
    'e\u0301',
    '\u2028<&>',
    '\u{1f600}',
    '\ufeffx',
  ),
  // Lengths around 32 and 256, at which the MessagePack header of a string grows.
  fc.string({ minLength: 28, maxLength: 36 }),
  fc.string({ minLength: 250, maxLength: 300 }),
)

const digits = fc.string({
  unit: fc.integer({ min: 0, max: 9 }).map(String),
  minLength: 1,
  maxLength: 170,
})

const numbers: fc.Arbitrary<CtyNumber> = fc
  .oneof(
    { arbitrary: fc.integer().map(BigInt), weight: 3 },
    { arbitrary: fc.integer({ min: -40, max: 300 }).map(BigInt), weight: 3 },
    { arbitrary: fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), weight: 2 },
    {
      arbitrary: fc.constantFrom(2n ** 53n, 2n ** 63n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 600n),
      weight: 1,
    },
    {
      arbitrary: fc.constantFrom('0.1', '0.5', '1e400', '1e-400', '1e-7', '-2.50', '123456789.5e3'),
      weight: 2,
    },
    {
      arbitrary: fc
        .tuple(digits, digits, fc.integer({ min: -300, max: 300 }))
        .map(([whole, fraction, exponent]) => `${whole}.${fraction}e${exponent}`),
      weight: 2,
    },
    { arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String), weight: 1 },
    { arbitrary: fc.constantFrom('+Inf', '-Inf'), weight: 1 },
  )
  .map(number => (typeof number === 'bigint' ? number : (parseCtyNumber(number) ?? 0n)))
  // The parser decides the precision of integers, so each integer is parsed from its text.
  .map(number => (typeof number === 'bigint' ? (parseCtyNumber(String(number)) ?? 0n) : number))

/** Numbers as doubles, which providers send for fractions. */
export const floats: fc.Arbitrary<CtyNumber> = fc
  .double({ noNaN: true })
  .map(float => convertFloat(float) ?? 0n)

/** Generates the refinements of unknown values of a type. */
function refinementsOf(type: CtyType): fc.Arbitrary<Refinements> {
  const notNull = fc.constantFrom<Refinements>({}, { isNotNull: true })
  switch (type.kind) {
    case 'string':
      return fc
        .tuple(notNull, fc.oneof(fc.constant(''), texts))
        .map(([facts, prefix]) =>
          prefix === '' ? facts : { ...facts, prefix: prefix.normalize('NFC') },
        )
    case 'number':
      return fc
        .tuple(notNull, fc.array(numbers.filter(isFinite), { maxLength: 2 }), fc.boolean())
        .map(([facts, bounds, isInclusive]) => addBounds(facts, bounds, isInclusive))
    case 'list':
    case 'set':
    case 'map':
      return fc
        .tuple(notNull, fc.nat({ max: 3 }), fc.option(fc.nat({ max: 300 }), { nil: undefined }))
        .map(([facts, lengthMin, more]) => ({
          ...facts,
          ...(lengthMin > 0 ? { lengthMin } : {}),
          ...(more === undefined ? {} : { lengthMax: lengthMin + more }),
        }))
    case 'dynamic':
      return fc.constant({})
    default:
      return notNull
  }
}

const isFinite = (number: CtyNumber): boolean =>
  typeof number === 'bigint' || number.kind === 'decimal'

/** Adds two, one or no bounds of a number. `isInclusive` applies to the lower bound. */
function addBounds(
  facts: Refinements,
  bounds: readonly CtyNumber[],
  isInclusive: boolean,
): Refinements {
  const [lower, upper] = bounds.toSorted(compareNumbers)
  const isPoint = lower !== undefined && upper !== undefined && compareNumbers(lower, upper) === 0
  return {
    ...facts,
    ...(lower === undefined
      ? {}
      : { lowerBound: { number: lower, isInclusive: isInclusive || isPoint } }),
    ...(upper === undefined ? {} : { upperBound: { number: upper, isInclusive: true } }),
  }
}

/** Replaces most dynamic parts of a type with the types of possible values. */
function concretize(type: CtyType): fc.Arbitrary<CtyType> {
  switch (type.kind) {
    case 'dynamic':
      return fc.oneof({ arbitrary: concreteTypes, weight: 4 }, fc.constant(dynamicType))
    case 'list':
      return concretize(type.element).map(listType)
    case 'map':
      return concretize(type.element).map(mapType)
    case 'tuple':
      return fc.tuple(...type.elements.map(concretize)).map(createTupleType)
    case 'object':
      return fc
        .tuple(
          ...[...type.attributes].map(([name, part]) =>
            fc.tuple(fc.constant(name), concretize(part)),
          ),
        )
        .map(createObjectType)
    default:
      return fc.constant(type)
  }
}

/** Generates values of a type. Parts of a dynamic type are null or unknown. */
export function valuesOf(type: CtyType): fc.Arbitrary<CtyValue> {
  const nulls = fc.constant(nullOf(type))
  const unknown = refinementsOf(type).map(refinements => unknownOf(type, refinements))
  const known = knownValuesOf(type)
  return known === undefined
    ? fc.oneof(nulls, unknown)
    : fc.oneof(
        { arbitrary: known, weight: 8 },
        { arbitrary: nulls, weight: 1 },
        { arbitrary: unknown, weight: 1 },
      )
}

function knownValuesOf(type: CtyType): fc.Arbitrary<CtyValue> | undefined {
  switch (type.kind) {
    case 'string':
      return texts.map(stringOf)
    case 'number':
      return numbers.map(numberOf)
    case 'bool':
      return fc.boolean().map(boolOf)
    case 'list':
      return fc
        .array(valuesOf(type.element), { maxLength: 4 })
        .map(items => listOf(items, type.element))
    case 'set':
      return fc
        .array(valuesOf(type.element), { maxLength: 5 })
        .map(items => setOf(items, type.element))
    case 'map':
      return fc
        .array(fc.tuple(fc.oneof(names, texts), valuesOf(type.element)), { maxLength: 4 })
        .map(entries => mapOf(entries, type.element))
    case 'tuple':
      return fc.tuple(...type.elements.map(valuesOf)).map(tupleOf)
    case 'object':
      return fc
        .tuple(
          ...[...type.attributes].map(([name, part]) =>
            fc.tuple(fc.constant(name), valuesOf(part)),
          ),
        )
        .map(objectOf)
    case 'dynamic':
      return undefined
  }
}

/** A declared type with two values that conform to it. */
export interface ValuePair {
  readonly declared: CtyType
  readonly first: CtyValue
  readonly second: CtyValue
}

/** Pairs of values of one type. */
export const valuePairs: fc.Arbitrary<ValuePair> = ctyTypes.chain(declared =>
  concretize(declared).chain(type =>
    fc
      .tuple(valuesOf(type), valuesOf(type), fc.nat({ max: 3 }))
      .map(([first, other, choice]) => ({ declared, first, second: choice === 0 ? first : other })),
  ),
)
