import { keyServiceOf, createKeyUrlError, splitKeyUrl } from './key-url.ts'

/** The contents of an `awskms://` URL. */
export interface AwsKeyUrl {
  /** A key id, `alias/<name>` or an ARN. */
  readonly keyId: string
  /** The region in the query, or else in the ARN. Undefined: the region of the environment. */
  readonly region: string | undefined
  /** The profile of the AWS configuration files. Undefined: the credentials of the environment. */
  readonly profile: string | undefined
  readonly context: Readonly<Record<string, string>>
}

/** The contents of an `azurekeyvault://` URL. */
export interface AzureKeyUrl {
  /** The address of the key, `https://<vault>/keys/<key>[/<version>]`. */
  readonly keyId: string
  readonly algorithm: AzureAlgorithm
}

/** The contents of a `gcpkms://` URL. */
export interface GcpKeyUrl {
  /** `projects/<project>/locations/<location>/keyRings/<key ring>/cryptoKeys/<key>` */
  readonly keyName: string
  /** Additional authenticated data in base64. Undefined: none. */
  readonly authenticatedData: string | undefined
}

/** The contents of a `hashivault://` URL. */
export interface VaultKeyUrl {
  readonly keyName: string
  /** The mount of the transit engine. */
  readonly engine: string
}

/** The algorithms of Azure Key Vault that encrypt a data key without further parameters. */
const azureAlgorithms = ['RSA-OAEP-256', 'RSA-OAEP', 'RSA1_5'] as const
export type AzureAlgorithm = (typeof azureAlgorithms)[number]

/** Parameters of Pulumi's Go libraries that have no effect here. */
const ignoredAwsParameters: ReadonlySet<string> = new Set(['awssdk'])

/**
 * Parses `awskms://<key id | alias/name>?region=…` or `awskms:///<ARN>`, with `profile=…`, and
 * `context_<name>=…` for the encryption context. Throws SECRETS_URL_INVALID, also for an unknown
 * parameter, which would otherwise be ignored silently. Source:
 * docs/spec/secrets.md#cloud-manager.
 */
export function parseAwsKeyUrl(text: string): AwsKeyUrl {
  const { key: keyId, parameters } = splitKeyUrl(text, 'awskms')
  const context: Record<string, string> = {}
  const otherParameters: string[] = []
  for (const [name, value] of parameters)
    if (name.startsWith('context_')) context[name.slice('context_'.length)] = value
    else if (!ignoredAwsParameters.has(name)) otherParameters.push(name)
  requireKnownParameters(text, otherParameters, ['region', 'profile'])
  const region = parameters.get('region') || regionOfArn(keyId)
  return { keyId, region, profile: parameters.get('profile') || undefined, context }
}

/**
 * Parses `azurekeyvault://<vault host>/keys/<key>[/<version>]`, with `algorithm=…`. The host must
 * contain `.vault.`, as in all clouds of Azure, so that no other host gets a token. Throws
 * SECRETS_URL_INVALID. Source: docs/spec/secrets.md#cloud-manager.
 */
export function parseAzureKeyUrl(text: string): AzureKeyUrl {
  const { key, parameters } = splitKeyUrl(text, 'azurekeyvault')
  requireKnownParameters(text, [...parameters.keys()], ['algorithm'])
  if (!/^[a-z\d-]+\.vault\.[a-z\d.-]+(:\d+)?\/keys\/[a-z\d-]+(\/[a-z\d]+)?$/i.test(key))
    throw createKeyUrlError(text, 'does not name a key of a vault')
  const name = parameters.get('algorithm') || azureAlgorithms[0]
  const algorithm = azureAlgorithms.find(known => known === name)
  if (algorithm === undefined)
    throw createKeyUrlError(text, `has the algorithm '${name}', which is not supported`)
  return { keyId: `https://${key}`, algorithm }
}

/**
 * Parses `gcpkms://projects/…/locations/…/keyRings/…/cryptoKeys/…`, with
 * `additional_authenticated_data=…` in URL-safe base64. Throws SECRETS_URL_INVALID. Source:
 * docs/spec/secrets.md#cloud-manager.
 */
export function parseGcpKeyUrl(text: string): GcpKeyUrl {
  const { key: keyName, parameters } = splitKeyUrl(text, 'gcpkms')
  const parameter = 'additional_authenticated_data'
  requireKnownParameters(text, [...parameters.keys()], [parameter])
  const segment = '[\\w.:-]+'
  const form = `^projects/${segment}/locations/${segment}/keyRings/${segment}/cryptoKeys/${segment}$`
  if (!new RegExp(form).test(keyName))
    throw createKeyUrlError(text, 'does not name a key of Cloud KMS')
  const data = parameters.get(parameter) ?? ''
  if (!/^[\w-]*={0,2}$/.test(data) || data.length % 4 !== 0)
    throw createKeyUrlError(text, `has an invalid '${parameter}', which must be URL-safe base64`)
  return {
    keyName,
    authenticatedData: data === '' ? undefined : Buffer.from(data, 'base64url').toString('base64'),
  }
}

/**
 * Parses `hashivault://<key>`, with `engine=<mount>`. Throws SECRETS_URL_INVALID. Source:
 * docs/spec/secrets.md#cloud-manager.
 */
export function parseVaultKeyUrl(text: string): VaultKeyUrl {
  const { key: keyName, parameters } = splitKeyUrl(text, 'hashivault')
  requireKnownParameters(text, [...parameters.keys()], ['engine'])
  const engine = (parameters.get('engine') || 'transit').replace(/^\/+|\/+$/g, '')
  if (!isPlainPath(keyName)) throw createKeyUrlError(text, 'does not name a key of Vault')
  if (!isPlainPath(engine)) throw createKeyUrlError(text, 'has an invalid engine')
  return { keyName, engine }
}

/** Throws SECRETS_URL_INVALID unless a text is the URL of a key. */
export function requireValidKeyUrl(text: string): void {
  const service = keyServiceOf(text)
  if (service === undefined) throw createKeyUrlError(text, 'does not name a key service')
  parsers[service](text)
}

const parsers = {
  awskms: parseAwsKeyUrl,
  azurekeyvault: parseAzureKeyUrl,
  gcpkms: parseGcpKeyUrl,
  hashivault: parseVaultKeyUrl,
}

/** Reports whether each segment of a path is a plain name, and neither `.` nor `..`. */
function isPlainPath(path: string): boolean {
  return path
    .split('/')
    .every(segment => /^[\w.@-]+$/.test(segment) && segment !== '.' && segment !== '..')
}

function requireKnownParameters(
  text: string,
  names: readonly string[],
  knownNames: readonly string[],
): void {
  const unknownName = names.find(name => !knownNames.includes(name))
  if (unknownName !== undefined)
    throw createKeyUrlError(text, `has the parameter '${unknownName}', which is not supported`)
}

/** Returns the region of an ARN, such as `arn:aws:kms:<region>:<account>:…`. */
function regionOfArn(keyId: string): string | undefined {
  const [arn, , service, region] = keyId.split(':')
  return arn === 'arn' && service === 'kms' && region !== '' ? region : undefined
}
