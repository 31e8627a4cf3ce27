import { type CtyNumber, convertFloat, parseCtyNumber } from './cty-number.ts'
import type { CtyPath } from './cty-path.ts'
import type { CtyType } from './type-system.ts'
import { type CtyValue, nullOf } from './cty-value.ts'
import { type MsgpackReader, createMsgpackReader } from './msgpack-reader.ts'
import { createProviderBug } from './provider-bug.ts'
import {
  type NumberBound,
  type Refinements,
  isContradiction,
  refinedExtensionCode,
  refinementKeys,
} from './refinements.ts'
import { unknownOf } from './unknown-value.ts'

/** Maximum size of encoded refinements in bytes. Valid ones are never larger. */
const payloadBytesMax = 1024
/** A maximum length of this or more restricts nothing, because no collection is longer. */
const unlimitedLength = 2 ** 31

/**
 * Reads an extension item: an unknown value of a type, with refinements if its code is 12. If the
 * refinements allow only null, or only one value that `unknownOf` recognizes, returns that value.
 * Throws TERRAFORM_PROVIDER_BUG for refinements that are too large, do not fit the type or
 * contradict each other. For a dynamic type, only the form of the refinements is checked.
 */
export function readUnknown(reader: MsgpackReader, type: CtyType, path: CtyPath): CtyValue {
  const { code, payload } = reader.readExtension()
  // An unknown value without refinements has a payload of one byte.
  if (payload.length <= 1 || code !== refinedExtensionCode) return unknownOf(type)
  if (payload.length > payloadBytesMax)
    throw createProviderBug('the provider sent an unknown value with too many refinements', path)
  const items = createMsgpackReader(payload)
  if (items.peekKind() !== 'map') throw createRefinementError(path)
  const refinements: Mutable<Refinements & { isNull?: boolean }> = {}
  for (let count = items.readMapHeader(); count > 0; count -= 1) {
    if (items.peekKind() !== 'integer') throw createRefinementError(path)
    const key = Number(items.readInteger())
    if (type.kind === 'dynamic') items.skip()
    else readRefinement(items, { key, type, path }, refinements)
  }
  const { isNull, ...restrictions } = refinements
  if (isNull === true && restrictions.isNotNull !== true) return nullOf(type)
  if (isNull === true || isContradiction(restrictions)) throw createRefinementError(path)
  return unknownOf(type, restrictions)
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface RefinementContext {
  readonly key: number
  readonly type: CtyType
  readonly path: CtyPath
}

function readRefinement(
  items: MsgpackReader,
  { key, type, path }: RefinementContext,
  target: Mutable<Refinements & { isNull?: boolean }>,
): void {
  const isCollection = type.kind === 'list' || type.kind === 'set' || type.kind === 'map'
  switch (key) {
    case refinementKeys.nullness:
      if (items.peekKind() !== 'bool') throw createRefinementError(path)
      if (items.readBool()) target.isNull = true
      else target.isNotNull = true
      break
    case refinementKeys.prefix: {
      if (type.kind !== 'string' || items.peekKind() !== 'text') throw createRefinementError(path)
      const prefix = items.readText().normalize('NFC')
      if (prefix !== '') target.prefix = prefix
      break
    }
    case refinementKeys.lowerBound:
    case refinementKeys.upperBound: {
      if (type.kind !== 'number') throw createRefinementError(path)
      const bound = readBound(items, path)
      if (typeof bound.number !== 'bigint' && bound.number.kind === 'infinity') break
      if (key === refinementKeys.lowerBound) target.lowerBound = bound
      else target.upperBound = bound
      break
    }
    case refinementKeys.lengthMin:
    case refinementKeys.lengthMax: {
      if (!isCollection || items.peekKind() !== 'integer') throw createRefinementError(path)
      const length = Number(items.readInteger())
      if (key === refinementKeys.lengthMin && length > 0) target.lengthMin = length
      if (key === refinementKeys.lengthMax && length < unlimitedLength) target.lengthMax = length
      break
    }
    default:
      items.skip()
  }
}

function readBound(items: MsgpackReader, path: CtyPath): NumberBound {
  if (items.peekKind() !== 'array' || items.readArrayHeader() !== 2)
    throw createRefinementError(path)
  const number = readMsgpackNumber(items)
  if (number === undefined || items.peekKind() !== 'bool') throw createRefinementError(path)
  return { number, isInclusive: items.readBool() }
}

/** Reads a number in any of its forms. Returns undefined for other items and for NaN. */
export function readMsgpackNumber(reader: MsgpackReader): CtyNumber | undefined {
  switch (reader.peekKind()) {
    case 'integer':
      return reader.readInteger()
    case 'float':
      return convertFloat(reader.readFloat())
    case 'text':
      return parseCtyNumber(reader.readText())
    default:
      return undefined
  }
}

function createRefinementError(path: CtyPath): Error {
  return createProviderBug('the provider sent an unknown value with invalid refinements', path)
}
