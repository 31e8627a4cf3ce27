import { createError } from '../errors/error.ts'

/**
 * A stack of Pulumi's service, or of a service with the same API. The service keeps the key of the
 * stack.
 */
export interface ServiceStack {
  /** The address of the API, without a slash at the end. */
  readonly url: string
  readonly owner: string
  readonly project: string
  readonly stack: string
}

/** The address of Pulumi Cloud, which Pulumi's states may leave out. */
const defaultAddress = 'https://api.pulumi.com'
const scheme = 'service://'
const namePattern = /^[\w.-]+$/

/** Reports whether a secrets provider has the scheme of a stack of a service. */
export function isServiceUrl(provider: string): boolean {
  return provider.startsWith(scheme)
}

/**
 * Parses `service://<host of the API>/<owner>/<project>/<stack>`. A service on loopback is reached
 * by http, any other by https. Throws SECRETS_URL_INVALID.
 */
export function parseServiceUrl(text: string): ServiceStack {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const [owner = '', project = '', stack = '', ...others] = url?.pathname.slice(1).split('/') ?? []
  const isValid =
    isServiceUrl(text) &&
    url !== undefined &&
    /^[\w.:[\]-]+$/.test(url.host) &&
    [url.username, url.password, url.search, url.hash].every(part => part === '') &&
    [owner, project, stack].every(isName) &&
    others.length === 0
  if (isValid) {
    const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
    return { url: `${isLoopback ? 'http' : 'https'}://${url.host}`, owner, project, stack }
  }
  throw createError('SECRETS_URL_INVALID', `'${text}' does not name a stack of a service`, {
    hint: 'Write it as service://api.pulumi.com/<organization>/<project>/<stack>.',
  })
}

/** Returns the URL of a stack of a service, as `parseServiceUrl` parses it. */
export function formatServiceUrl({ url, owner, project, stack }: ServiceStack): string {
  return `${scheme}${new URL(url).host}/${owner}/${project}/${stack}`
}

/**
 * Reads the public state of a manager of the type `service`
 * (docs/spec/secrets.md#service-manager). Throws SECRETS_MALFORMED, and SECRETS_MANAGER_UNSUPPORTED
 * for a login that does not verify certificates.
 */
export function parseServiceState(state: unknown): ServiceStack {
  const fields = new Map(typeof state === 'object' && state !== null ? Object.entries(state) : [])
  if (fields.get('insecure') === true)
    throw createError(
      'SECRETS_MANAGER_UNSUPPORTED',
      'the secrets of this state need a login without verified certificates, which is not supported',
    )
  const readField = (name: string): string => {
    const value: unknown = fields.get(name)
    return typeof value === 'string' ? value : ''
  }
  const [owner, project, stack] = [readField('owner'), readField('project'), readField('stack')]
  const url = (readField('url') || defaultAddress).replace(/\/+$/, '')
  const isAddress = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
  if (isAddress && [owner, project, stack].every(isName)) return { url, owner, project, stack }
  throw createError(
    'SECRETS_MALFORMED',
    'the service manager of this state does not name its stack',
  )
}

function isName(text: string): boolean {
  return namePattern.test(text) && text !== '.' && text !== '..'
}
