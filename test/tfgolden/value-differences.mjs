/** The comparison of values, and the secrets of Pulumi's states. */
import { formatCanonical, isObject } from './lossless-values.mjs'

const signature = '4dabf18193072939515e22adb298388d'
const secretSignature = '1b47061264138c4ac30d75fd1eb44270'

const isSecret = value => isObject(value) && value[signature] === secretSignature

const openSecret = value =>
  isSecret(value) ? openSecret(JSON.parse(value.plaintext ?? JSON.stringify(value.value))) : value

/** Wraps a value as a secret of an exported state. */
export const wrapSecret = value => ({
  [signature]: secretSignature,
  plaintext: JSON.stringify(value),
})

/** Reports whether the value at a path is secret, contains a secret, or is inside of one. */
export function isSecretAt(outputs, path) {
  let value = outputs
  for (const step of path) {
    if (isSecret(value)) return true
    value = value?.[step]
  }
  return JSON.stringify(value ?? null).includes(signature)
}

/** Lists the differences between two values, each with its path. */
export function listDifferences(expected, observed, path) {
  if (!haveSameShape(expected, observed)) return compareTexts(expected, observed, path)
  return keysOf(expected, observed).flatMap(key =>
    listDifferences(expected[key], observed[key], `${path}.${key}`),
  )
}

/**
 * Lists the differences of Pulumi outputs. Secrets are compared by their contents, numbers as
 * floats or as exact texts, and null means absent. The output `id` and keys with the prefix `__`
 * are not compared.
 */
export function listOutputDifferences(expected, sealed, path, isTop = true) {
  const observed = openSecret(sealed)
  if (expected === undefined || expected === null)
    return isEmpty(observed) ? [] : [`${path}: want nothing, got ${abbreviate(observed)}`]
  if (isObject(expected) && '$num' in expected) {
    const isEqual = Number(expected.$num) === observed || expected.$num === observed
    return isEqual ? [] : [`${path}: want ${expected.$num}, got ${abbreviate(observed)}`]
  }
  if (!haveSameShape(expected, observed)) return compareTexts(expected, observed, path)
  if (Array.isArray(expected) && expected.length !== observed.length)
    return [`${path}: want ${expected.length} elements, got ${observed.length}`]
  return keysOf(expected, observed)
    .filter(key => !key.startsWith('__') && !(isTop && key === 'id'))
    .flatMap(key => listOutputDifferences(expected[key], observed[key], `${path}.${key}`, false))
}

const isEmpty = value =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0)

const haveSameShape = (left, right) =>
  isObject(left) && isObject(right) && Array.isArray(left) === Array.isArray(right)

const keysOf = (left, right) => [...new Set([...Object.keys(left), ...Object.keys(right)])]

function compareTexts(expected, observed, path) {
  if (formatCanonical(expected) === formatCanonical(observed)) return []
  return [`${path}: want ${abbreviate(expected)}, got ${abbreviate(observed)}`]
}

const abbreviate = value => (JSON.stringify(value) ?? 'nothing').slice(0, 200)
