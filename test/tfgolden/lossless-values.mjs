/** JSON without loss of digits, in one order of keys. */

const numberOrText = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

const isExact = digits => Number.isSafeInteger(Number(digits)) && !/[.eE]/.test(digits)

/**
 * Parses JSON. A number that is not a safe integer becomes `{"$num": "digits"}`, as in the log of
 * the provider.
 */
export function parseGolden(text) {
  const exact = text.replace(numberOrText, match =>
    match.startsWith('"') || isExact(match) ? match : `{"$num":"${match}"}`,
  )
  return JSON.parse(exact)
}

/** Sorts the keys of all objects in a value. */
export function sortKeys(value) {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map(key => [key, sortKeys(value[key])]))
}

/** Formats a value as JSON with sorted keys, so that equal values have equal texts. */
export const formatCanonical = value => JSON.stringify(sortKeys(value))

export const isObject = value => typeof value === 'object' && value !== null

/** Removes the members that are null, at the top level only. */
export const omitNullMembers = object =>
  Object.fromEntries(Object.entries(object ?? {}).filter(([, member]) => member !== null))

/** Returns bytes as text, or as `{"$bytes": base64}` if they are not UTF-8. */
export function formatPrivateBytes(bytes) {
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : { $bytes: bytes.toString('base64') }
}

/** Formats an expectation with one line for each call, object and state. */
export function formatExpectation(expectation) {
  const parts = Object.entries(expectation).map(
    ([key, value]) => ` ${JSON.stringify(key)}: ${formatPart(value)}`,
  )
  return `{\n${parts.join(',\n')}\n}\n`
}

function formatPart(value) {
  if (Array.isArray(value) && value.length > 0)
    return `[\n  ${value.map(formatCanonical).join(',\n  ')}\n ]`
  if (!isObject(value) || Array.isArray(value) || Object.keys(value).length === 0)
    return formatCanonical(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${formatCanonical(member)}`,
  )
  return `{\n  ${members.join(',\n  ')}\n }`
}
