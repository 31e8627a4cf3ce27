import { createError, hasCode } from '../errors/error.ts'
import { stackType } from '../names/urn.ts'
import { parseJson } from '../values/parse-json.ts'
import { signatureKey, signatures } from '../values/wire-options.ts'
import type { Json, StoredDeployment } from './stored.ts'

/**
 * Returns the outputs of a stack as JSON. Without `decrypt`, each secret is `[secret]`. Otherwise
 * `decrypt` returns the JSON text of a secret's value. Other special values keep their stored form.
 * Throws SECRETS_MALFORMED and the other errors of `decrypt`.
 */
export function readStackOutputs(
  deployment: StoredDeployment | undefined,
  decrypt: ((ciphertext: string) => string) | undefined,
): ReadonlyMap<string, Json> {
  const root = deployment?.resources?.find(
    resource => resource.type === stackType && resource['delete'] !== true,
  )
  const outputs = root?.['outputs']
  return isObject(outputs)
    ? new Map(
        Object.entries(outputs).map(([name, value]) => [name, openOutput(name, value, decrypt)]),
      )
    : new Map()
}

/** Converts an output by `toPlainJson`. The error of a damaged secret names the output. */
function openOutput(
  name: string,
  value: Json,
  decrypt: ((ciphertext: string) => string) | undefined,
): Json {
  try {
    return toPlainJson(value, decrypt)
  } catch (thrown) {
    if (!hasCode(thrown, 'SECRETS_MALFORMED')) throw thrown
    const { message, hint, details } = thrown
    throw createError('SECRETS_MALFORMED', `cannot decrypt the output '${name}': ${message}`, {
      ...{ hint, details, cause: thrown },
    })
  }
}

/** Reports whether any output is or contains an encrypted secret. */
export function hasSecretOutputs(deployment: StoredDeployment | undefined): boolean {
  let hasSecret = false
  // Only the calls of `decrypt` count. The outputs themselves are not needed.
  readStackOutputs(deployment, () => {
    hasSecret = true
    return 'null'
  })
  return hasSecret
}

/** Formats an output as one line: a text unchanged, anything else as JSON. */
export function formatOutput(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Returns a stored value with plain secrets, or with `[secret]` in their place if `decrypt` is
 * undefined.
 */
export function toPlainJson(
  value: Json,
  decrypt: ((ciphertext: string) => string) | undefined,
): Json {
  if (isList(value)) return value.map(item => toPlainJson(item, decrypt))
  if (!isObject(value)) return value
  if (value[signatureKey] === signatures.secret) return openSecret(value, decrypt)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toPlainJson(item, decrypt)]),
  )
}

function openSecret(
  value: { readonly [key: string]: Json },
  decrypt: ((ciphertext: string) => string) | undefined,
): Json {
  const { ciphertext, plaintext } = value
  if (decrypt === undefined) return '[secret]'
  const text =
    typeof plaintext === 'string'
      ? plaintext
      : decrypt(typeof ciphertext === 'string' ? ciphertext : '')
  const json = parseJson(text)
  if (json === undefined)
    throw createError('SECRETS_MALFORMED', 'a secret in the state does not contain JSON')
  return toPlainJson(json as Json, decrypt)
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value)
}
