import {
  isList,
  isMap,
  isSecret,
  isSpecial,
  type PropertyMap,
  type PropertyValue,
  secretOf,
} from '../../values/value.ts'

/** Whether a value is a secret or holds one at any depth. */
export function holdsSecret(value: PropertyValue): boolean {
  return holds(value, found => found.kind === 'secret' || (found.kind === 'output' && found.secret))
}

/** Whether a value is unknown or holds an unknown at any depth. */
export function holdsUnknown(value: PropertyValue): boolean {
  return holds(
    value,
    found => found.kind === 'unknown' || (found.kind === 'output' && found.value === undefined),
  )
}

type Special = Extract<PropertyValue, { readonly kind: string }>

function holds(value: PropertyValue, test: (found: Special) => boolean): boolean {
  if (isMap(value)) {
    for (const inner of value.values()) if (holds(inner, test)) return true
    return false
  }
  if (isList(value)) return value.some(inner => holds(inner, test))
  if (!isSpecial(value)) return false
  if (test(value)) return true
  if (value.kind === 'secret') return holds(value.value, test)
  return value.kind === 'output' && value.value !== undefined && holds(value.value, test)
}

/**
 * Marks again what a provider that cannot take secrets gave back in clear: by key, into objects but
 * never into lists; one secret inside makes the whole returned value secret (provider-protocol
 * 6.2).
 */
export function remarkSecrets(sent: PropertyMap, returned: PropertyMap): PropertyMap {
  const marked = new Map<string, PropertyValue>()
  for (const [key, value] of returned) {
    const before = sent.get(key)
    if (before === undefined) marked.set(key, value)
    else if (isMap(before) && isMap(value)) marked.set(key, remarkSecrets(before, value))
    else marked.set(key, !isSecret(value) && holdsSecret(before) ? secretOf(value) : value)
  }
  return marked
}
