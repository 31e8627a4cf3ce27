import { compareUtf8 } from '../../../values/go-json.ts'
import { compareNumbers } from './cty-number.ts'
import { type CtyValue, isWhollyKnown } from './cty-value.ts'
import { areEqualRaw } from './raw-equality.ts'
import { orderKeyOf } from './order-key.ts'

/**
 * Sorts the elements of a set as cty does, and merges equal ones. Programs see this order, because
 * sets become lists. Elements with unknown parts are never merged, because they may differ once
 * they are known.
 */
export function sortSetElements(elements: readonly CtyValue[]): readonly CtyValue[] {
  const keyed = elements.map(value => ({ value, key: orderKeyOf(value) }))
  const buckets = new Map<string, CtyValue[]>()
  const distinct = keyed.filter(({ value, key }) => {
    const bucket = buckets.get(key) ?? []
    if (isWhollyKnown(value) && bucket.some(other => areEqualRaw(other, value))) return false
    bucket.push(value)
    buckets.set(key, bucket)
    return true
  })
  return distinct
    .toSorted((a, b) => compareElements(a.value, b.value) || compareUtf8(a.key, b.key))
    .map(({ value }) => value)
}

/** Orders null last, and unknown before null. Primitives have their natural order. */
function compareElements(a: CtyValue, b: CtyValue): number {
  if (a.kind === 'string' && b.kind === 'string') return compareUtf8(a.text, b.text)
  if (a.kind === 'number' && b.kind === 'number') return compareNumbers(a.number, b.number)
  return rankOf(a) - rankOf(b)
}

function rankOf(value: CtyValue): number {
  switch (value.kind) {
    case 'null':
      return 2
    case 'unknown':
      return 1
    default:
      return 0
  }
}
