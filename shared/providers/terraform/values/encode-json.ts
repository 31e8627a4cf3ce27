import { assert } from '../../../errors/error.ts'
import { formatGoJson } from '../../../values/go-json.ts'
import { conformanceErrorsOf } from './conformance.ts'
import { formatCtyNumber } from './cty-number.ts'
import { type CtyPath, createAttributeStep, createIndexStep, createKeyStep } from './cty-path.ts'
import type { CtyType } from './type-system.ts'
import type { CtyValue } from './cty-value.ts'
import { elementTypeOf } from './element-type-of.ts'
import { createProviderBug } from './provider-bug.ts'
import { formatTypeJson } from './type-json.ts'

/**
 * Encodes a value for a state. Throws TERRAFORM_PROVIDER_BUG for unknown values and infinities,
 * which JSON does not have. Throws INTERNAL_ASSERTION if the value does not conform to its declared
 * type.
 */
export function encodeCtyJson(value: CtyValue, declared: CtyType): string {
  const [reason] = conformanceErrorsOf(value.type, declared)
  assert(reason === undefined, `a value does not conform to its schema: ${reason}`)
  return formatValue(value, declared, [])
}

function formatValue(value: CtyValue, declared: CtyType, path: CtyPath): string {
  if (declared.kind === 'dynamic' && value.type.kind !== 'dynamic')
    return `{"value":${formatValue(value, value.type, path)},"type":${formatTypeJson(value.type)}}`
  switch (value.kind) {
    case 'unknown':
      throw createProviderBug('a value is still unknown, so it cannot be stored', path)
    case 'null':
      return 'null'
    case 'string':
      return formatGoJson(value.text)
    case 'bool':
      return String(value.isTrue)
    case 'number':
      if (typeof value.number !== 'bigint' && value.number.kind === 'infinity')
        throw createProviderBug('an infinite number cannot be stored', path)
      return formatCtyNumber(value.number)
    case 'list':
    case 'set':
    case 'tuple': {
      const elements = value.elements.map((element, index) =>
        formatValue(element, elementTypeOf(declared, index), [...path, createIndexStep(index)]),
      )
      return `[${elements.join(',')}]`
    }
    case 'map':
    case 'object': {
      const createStep = value.kind === 'map' ? createKeyStep : createAttributeStep
      const members = [...value.entries].map(
        ([key, part]) =>
          `${formatGoJson(key)}:${formatValue(part, elementTypeOf(declared, key), [...path, createStep(key)])}`,
      )
      return `{${members.join(',')}}`
    }
  }
}
