import { type CtyNumber, numberFromFloat, parseCtyNumber } from './cty-number.ts'
import type { CtyPath } from './cty-path.ts'
import type { CtyType } from './type-system.ts'
import { type CtyValue, nullOf } from './cty-value.ts'
import { type MsgpackReader, createMsgpackReader } from './msgpack-reader.ts'
import { createProviderBug } from './provider-bug.ts'
import {
  type NumberBound,
  type Refinements,
  isContradiction,
  refinementKeys,
} from './refinements.ts'
import { unknownOf } from './unknown-value.ts'

const refinedCode = 12
/** Longest list of facts in bytes. No valid one is longer. */
const payloadBytesMax = 1024
/** Lengths above this one say nothing: no collection is longer. */
const lengthMaxOfAll = 2 ** 31

/**
 * Reads an extension item: the unknown of a type. Codes other than 12 have no facts. Throws
 * TERRAFORM_PROVIDER_BUG for facts that do not fit the type or contradict each other.
 */
export function readUnknown(reader: MsgpackReader, type: CtyType, path: CtyPath): CtyValue {
  const { code, payload } = reader.readExtension()
  if (payload.length <= 1 || code !== refinedCode) return unknownOf(type)
  if (payload.length > payloadBytesMax)
    throw createProviderBug('the provider sent an unknown value with too many facts', path)
  const facts = createMsgpackReader(payload)
  if (facts.peekKind() !== 'map') throw createFactError(path)
  const refinements: Mutable<Refinements & { isNull?: boolean }> = {}
  for (let count = facts.readMapHeader(); count > 0; count -= 1) {
    if (facts.peekKind() !== 'integer') throw createFactError(path)
    const key = Number(facts.readInteger())
    if (type.kind === 'dynamic') facts.skip()
    else readFact(facts, { key, type, path }, refinements)
  }
  const { isNull, ...rest } = refinements
  if (isNull === true && rest.isNotNull !== true) return nullOf(type)
  if (isNull === true || isContradiction(rest)) throw createFactError(path)
  return unknownOf(type, rest)
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface FactContext {
  readonly key: number
  readonly type: CtyType
  readonly path: CtyPath
}

function readFact(
  facts: MsgpackReader,
  { key, type, path }: FactContext,
  into: Mutable<Refinements & { isNull?: boolean }>,
): void {
  const isCollection = type.kind === 'list' || type.kind === 'set' || type.kind === 'map'
  switch (key) {
    case refinementKeys.nullness:
      if (facts.peekKind() !== 'bool') throw createFactError(path)
      if (facts.readBool()) into.isNull = true
      else into.isNotNull = true
      break
    case refinementKeys.prefix: {
      if (type.kind !== 'string' || facts.peekKind() !== 'text') throw createFactError(path)
      const prefix = facts.readText().normalize('NFC')
      if (prefix !== '') into.prefix = prefix
      break
    }
    case refinementKeys.lowerBound:
    case refinementKeys.upperBound: {
      if (type.kind !== 'number') throw createFactError(path)
      const bound = readBound(facts, path)
      if (typeof bound.number !== 'bigint' && bound.number.kind === 'infinity') break
      if (key === refinementKeys.lowerBound) into.lowerBound = bound
      else into.upperBound = bound
      break
    }
    case refinementKeys.lengthMin:
    case refinementKeys.lengthMax: {
      if (!isCollection || facts.peekKind() !== 'integer') throw createFactError(path)
      const length = Number(facts.readInteger())
      if (key === refinementKeys.lengthMin && length > 0) into.lengthMin = length
      if (key === refinementKeys.lengthMax && length < lengthMaxOfAll) into.lengthMax = length
      break
    }
    default:
      facts.skip()
  }
}

function readBound(facts: MsgpackReader, path: CtyPath): NumberBound {
  if (facts.peekKind() !== 'array' || facts.readArrayHeader() !== 2) throw createFactError(path)
  const number = readMsgpackNumber(facts)
  if (number === undefined || facts.peekKind() !== 'bool') throw createFactError(path)
  return { number, isInclusive: facts.readBool() }
}

/** Reads a number in any of its forms. Returns undefined for other items and for NaN. */
export function readMsgpackNumber(reader: MsgpackReader): CtyNumber | undefined {
  switch (reader.peekKind()) {
    case 'integer':
      return reader.readInteger()
    case 'float':
      return numberFromFloat(reader.readFloat())
    case 'text':
      return parseCtyNumber(reader.readText())
    default:
      return undefined
  }
}

function createFactError(path: CtyPath): Error {
  return createProviderBug('the provider sent an unknown value with invalid facts', path)
}
