import { error } from '../errors/error.ts'

/** The contents of a KMS key URL. */
export interface KeyUrl {
  /** A key id, `alias/<name>` or an ARN. */
  readonly keyId: string
  /** The region in the query, or else in the ARN. Undefined: the region of the environment. */
  readonly region: string | undefined
  readonly context: Readonly<Record<string, string>>
}

/** Parameters of Pulumi's Go libraries that have no effect here. */
const ignoredParameters: ReadonlySet<string> = new Set(['awssdk'])

/** Reports whether a secrets provider is a key of KMS. */
export function isKeyUrl(provider: string): boolean {
  return provider.startsWith('awskms://')
}

/**
 * Parses `awskms://<key id | alias/name>?region=…` or `awskms:///<ARN>`, with `context_<name>=…`
 * for the encryption context. Throws SECRETS_URL_INVALID, also for an unknown or repeated parameter
 * and for a fragment, which would otherwise be ignored silently. Source:
 * docs/spec/secrets.md#cloud-manager.
 */
export function parseKeyUrl(text: string): KeyUrl {
  const urlError = (reason: string) =>
    error('SECRETS_URL_INVALID', `the key URL '${withoutQuery(text)}' ${reason}`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'awskms:') throw urlError('does not begin with awskms://')
  const path = decodeText(url.pathname)
  if (path === undefined) throw urlError('cannot be decoded')
  const keyId = `${url.host}${path}`.replace(/^\/+/, '').replace(/\/+$/, '')
  if (keyId === '') throw urlError('does not contain a key')
  if (text.includes('#')) throw urlError('has a fragment, which is not supported')
  let region: string | undefined
  const context: Record<string, string> = {}
  for (const [name, value] of url.searchParams) {
    if (url.searchParams.getAll(name).length > 1) throw urlError(`has '${name}' more than once`)
    if (name === 'region') region = value
    else if (name.startsWith('context_')) context[name.slice('context_'.length)] = value
    else if (!ignoredParameters.has(name))
      throw urlError(`has the parameter '${name}', which is not supported`)
  }
  return { keyId, region: region || regionOfArn(keyId), context }
}

/** Returns the region of an ARN, such as `arn:aws:kms:<region>:<account>:…`. */
function regionOfArn(keyId: string): string | undefined {
  const [arn, , service, region] = keyId.split(':')
  return arn === 'arn' && service === 'kms' && region !== '' ? region : undefined
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
