import type { Metadata } from '@grpc/grpc-js'
import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import type { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'

/**
 * Returns a registration with aliases in their current form. For aliases of older Node SDKs, an
 * absent parent or an empty `parentUrn` is converted to `noParent`. The value `noParent: true` is
 * converted to an absent parent, which stands for the current parent of the resource. Source:
 * docs/spec/monitor.md#registerresource step 6.
 */
export function convertLegacyAliases(
  request: RegisterResourceRequest,
  metadata: Metadata | undefined,
): RegisterResourceRequest {
  if (request.aliasSpecs || request.aliases.length === 0 || !isFromNode(metadata)) return request
  return { ...request, aliases: request.aliases.map(toCurrentAlias), aliasSpecs: true }
}

/**
 * Reports whether a request comes from a Node SDK. The runtime in the metadata takes precedence
 * over the user agent.
 */
function isFromNode(metadata: Metadata | undefined): boolean {
  const runtimes = metadata?.get('pulumi-runtime') ?? []
  if (runtimes.length > 0) return runtimes.length === 1 && runtimes[0] === 'nodejs'
  const [agent, ...otherAgents] = metadata?.get('user-agent') ?? []
  return otherAgents.length === 0 && typeof agent === 'string' && agent.startsWith('grpc-node-js/')
}

function toCurrentAlias({ alias }: Alias): Alias {
  if (alias?.$case !== 'spec') return { alias }
  const { parent } = alias.value
  if (parent?.$case === 'parentUrn' && parent.value !== '') return { alias }
  if (parent?.$case === 'noParent' && !parent.value) return { alias }
  const setsNoParent = parent?.$case === 'noParent'
  const convertedParent = setsNoParent ? undefined : { $case: 'noParent' as const, value: true }
  return { alias: { $case: 'spec', value: { ...alias.value, parent: convertedParent } } }
}
