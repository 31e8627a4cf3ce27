import { keyPurpose } from '../config/aws-resource-names.ts'
import { createError } from '../errors/error.ts'
import { keyServiceOf, withoutQuery } from './key-url.ts'
import { parseAwsKeyUrl, requireValidKeyUrl } from './parse-key-url.ts'

/**
 * The data keys that a caller may open. `own`: only those whose encryption context names the stack.
 * `own-or-unnamed`: also those that name no stack, as Pulumi creates them. `any`: all, for a user
 * who decrypts a foreign or renamed state with the user's own credentials.
 */
export type AllowedKeys =
  | { readonly kind: 'own' | 'own-or-unnamed'; readonly stack: string }
  | { readonly kind: 'any' }

const contextParameter = `context_${keyPurpose.stackField}`

/**
 * Returns a key URL of KMS whose encryption context names a stack by its id, in place of any other
 * stack. The other parts of the URL are unchanged. Pulumi reads the same form. URLs of other
 * services are returned unchanged. They have no parameter that can name a stack and that all
 * versions of Pulumi accept. Throws SECRETS_URL_INVALID.
 */
export function withKeyStack(url: string, stack: string): string {
  requireValidKeyUrl(url)
  if (keyServiceOf(url) !== 'awskms') return url
  const [key = '', query = ''] = url.split('?', 2)
  const otherParameters = query
    .split('&')
    .filter(text => text !== '' && !new URLSearchParams(text).has(contextParameter))
  // The id of a stack has only letters, digits and `_.-/`, which a query contains unescaped.
  return `${key}?${[...otherParameters, `${contextParameter}=${stack}`].join('&')}`
}

/** Returns the stack that a key URL names, if it names one. Throws SECRETS_URL_INVALID. */
export function keyStackOf(url: string): string | undefined {
  requireValidKeyUrl(url)
  if (keyServiceOf(url) !== 'awskms') return undefined
  return parseAwsKeyUrl(url).context[keyPurpose.stackField]
}

/**
 * Checks that a data key may be opened, before a key service is called. KMS authenticates the
 * context, so a URL with a false stack opens nothing. With `own`, this function also refuses
 * profiles, which functions of AWS do not have, and services whose URLs cannot name a stack. Throws
 * SECRETS_STACK_DIFFERS, SECRETS_STACK_MISSING, SECRETS_MANAGER_UNSUPPORTED, SECRETS_URL_INVALID.
 */
export function requireAllowedKey(url: string, allowed: AllowedKeys): void {
  if (allowed.kind === 'any') return
  const { stack } = allowed
  const keyStack = keyStackOf(url)
  if (allowed.kind === 'own') refuseProfile(url)
  if (keyStack === stack || (keyStack === undefined && allowed.kind === 'own-or-unnamed')) return
  const key = withoutQuery(url)
  if (keyServiceOf(url) !== 'awskms')
    throw createError(
      'SECRETS_MANAGER_UNSUPPORTED',
      `the data key of ${stack} under '${key}' cannot be opened here`,
      {
        hint: 'Functions open keys of KMS only. Run `antichain stack change-secrets-provider awskms://alias/<installation>-secrets`.',
      },
    )
  const remedy = 'run `antichain stack change-secrets-provider` for this stack'
  if (keyStack === undefined)
    throw createError(
      'SECRETS_STACK_MISSING',
      `the data key of ${stack} under '${key}' names no stack: ${remedy}`,
    )
  throw createError(
    'SECRETS_STACK_DIFFERS',
    `the data key of ${stack} under '${key}' belongs to ${keyStack}: ${remedy}`,
  )
}

function refuseProfile(url: string): void {
  if (keyServiceOf(url) !== 'awskms' || parseAwsKeyUrl(url).profile === undefined) return
  throw createError(
    'SECRETS_URL_INVALID',
    `functions have no AWS profiles, so they cannot open the key '${withoutQuery(url)}', whose URL names one`,
    { hint: 'Remove `profile` from the key URL; the role of the stack needs access to the key.' },
  )
}
