import { createError } from '../errors/error.ts'

/** A key service, as the scheme of its key URLs names it. */
export type KeyService = 'awskms' | 'azurekeyvault' | 'gcpkms' | 'hashivault'

/** The usual form of a key URL of each service, for messages. */
const keyUrlForms: Readonly<Record<KeyService, string>> = {
  awskms: 'awskms://<key id, alias/name or ARN>?region=<region>',
  azurekeyvault: 'azurekeyvault://<vault>.vault.azure.net/keys/<key>[/<version>]',
  gcpkms: 'gcpkms://projects/<project>/locations/<location>/keyRings/<key ring>/cryptoKeys/<key>',
  hashivault: 'hashivault://<key>[?engine=<mount of the transit engine>]',
}

/** The parts of a key URL that all services share. */
export interface KeyUrlParts {
  /** Host and path without the slashes at both ends. */
  readonly key: string
  readonly parameters: ReadonlyMap<string, string>
}

/** Returns the key service of a secrets provider. Undefined: the provider is no key URL. */
export function keyServiceOf(provider: string): KeyService | undefined {
  const [scheme = '', rest] = provider.split('://', 2)
  return rest !== undefined && Object.hasOwn(keyUrlForms, scheme)
    ? (scheme as KeyService)
    : undefined
}

/** Reports whether a secrets provider is the URL of a key in a key service. */
export function isKeyUrl(provider: string): boolean {
  return keyServiceOf(provider) !== undefined
}

/**
 * Splits a key URL of a service. Throws SECRETS_URL_INVALID, also for a repeated parameter, a user
 * and a fragment, which would otherwise be ignored silently.
 */
export function splitKeyUrl(text: string, service: KeyService): KeyUrlParts {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== `${service}:`)
    throw createKeyUrlError(text, `does not begin with ${service}://`)
  if (url.username !== '' || url.password !== '')
    throw createError(
      'SECRETS_URL_INVALID',
      `a key URL of ${service} contains a user, which is not supported`,
    )
  const path = decodeText(url.pathname)
  if (path === undefined) throw createKeyUrlError(text, 'cannot be decoded')
  const key = `${url.host}${path}`.replace(/^\/+/, '').replace(/\/+$/, '')
  if (key === '') throw createKeyUrlError(text, 'does not contain a key')
  if (text.includes('#')) throw createKeyUrlError(text, 'has a fragment, which is not supported')
  const parameters = new Map<string, string>()
  for (const [name, value] of url.searchParams) {
    if (parameters.has(name)) throw createKeyUrlError(text, `has '${name}' more than once`)
    parameters.set(name, value)
  }
  return { key, parameters }
}

/** Creates SECRETS_URL_INVALID for a key URL. The message does not contain the query. */
export function createKeyUrlError(text: string, reason: string): Error {
  const service = keyServiceOf(text)
  return createError(
    'SECRETS_URL_INVALID',
    `the key URL '${withoutQuery(text)}' ${reason}`,
    service === undefined ? {} : { hint: `Write the URL as ${keyUrlForms[service]}.` },
  )
}

/** Returns a URL without its query, which may contain a confidential encryption context. */
export function withoutQuery(text: string): string {
  return text.split('?')[0] ?? text
}

function decodeText(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
