import { createError } from '../../../errors/error.ts'
import { parseProtocolMajor, type ProviderAddress, toGrpcTarget } from './handshake.ts'

/** A provider that the user runs, for example in a debugger. It does not use TLS. */
export interface ReattachedProvider extends ProviderAddress {
  /** Whether the process belongs to a test. The host must not end such a process. */
  readonly isTest: boolean
}

const reattachVariable = 'TF_REATTACH_PROVIDERS'

/** The hosts of the default registries of Terraform and OpenTofu, which name the same providers. */
const defaultHosts = ['registry.terraform.io', 'registry.opentofu.org']

/**
 * Returns the provider with this source address that the user runs, according to
 * TF_REATTACH_PROVIDERS. The address may leave out its host and the namespace `hashicorp`. Returns
 * undefined when the variable does not name the provider. Throws PLUGIN_FAILED for an unreadable
 * variable.
 */
export function findReattachedProvider(
  env: Readonly<Record<string, string>>,
  source: string,
): ReattachedProvider | undefined {
  const text = env[reattachVariable] ?? ''
  if (text.trim() === '') return undefined
  const entry = Object.entries(parseVariable(text)).find(
    ([address]) => normalizeSource(address) === normalizeSource(source),
  )
  return entry && parseEntry(...entry)
}

function parseVariable(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return { ...parsed }
  } catch {
    // The error below also covers a text that is not JSON.
  }
  throw createError('PLUGIN_FAILED', `${reattachVariable} is not a JSON object of source addresses`)
}

/** Returns an address as `HOST/NAMESPACE/TYPE`, without the host if it is a default registry. */
function normalizeSource(source: string): string {
  const [type = '', namespace = 'hashicorp', host = ''] = source
    .toLowerCase()
    .split('/')
    .toReversed()
  const parts = [...(defaultHosts.includes(host) ? [] : [host]), namespace, type]
  return parts.filter(part => part !== '').join('/')
}

interface WireEntry {
  readonly Protocol?: unknown
  readonly ProtocolVersion?: unknown
  readonly Test?: unknown
  readonly Addr?: { readonly Network?: unknown; readonly String?: unknown }
}

function parseEntry(source: string, value: unknown): ReattachedProvider {
  const refuse = (problem: string): never => {
    throw createError('PLUGIN_FAILED', `${reattachVariable} of the provider '${source}' ${problem}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('is not an object')
  const entry: WireEntry = value
  if (entry.Protocol !== 'grpc') refuse(`has the transport '${textOf(entry.Protocol)}', not grpc`)
  // Providers for Terraform before 0.15 leave out the version.
  const protocol = parseProtocolMajor(textOf(entry.ProtocolVersion || 5))
  if (protocol === undefined)
    return refuse(`has the protocol ${textOf(entry.ProtocolVersion)}, not 5 or 6`)
  const { Network: network, String: address } = Object(entry.Addr) as NonNullable<WireEntry['Addr']>
  const target = toGrpcTarget(textOf(network), textOf(address))
  if (target === undefined) return refuse('has no address of a Unix socket or a TCP port')
  return { protocol, target, socketPath: undefined, isTest: entry.Test === true }
}

/** Returns a scalar as text. A list or object could be nested too deeply to become text. */
function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
