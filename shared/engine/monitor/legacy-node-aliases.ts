import type { Metadata } from '@grpc/grpc-js'
import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import type { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'

/**
 * Returns a registration with aliases in their current meaning. Older Node SDKs sent no parent
 * field for "no parent", and "no parent" for the current parent. Source:
 * docs/spec/monitor.md#resourcemonitor step 6.
 */
export function withPlainAliases(
  request: RegisterResourceRequest,
  metadata: Metadata | undefined,
): RegisterResourceRequest {
  if (request.aliasSpecs || request.aliases.length === 0 || !isFromNode(metadata)) return request
  return { ...request, aliases: request.aliases.map(toPlainAlias), aliasSpecs: true }
}

/** The runtime in the request takes precedence over the gRPC library. */
function isFromNode(metadata: Metadata | undefined): boolean {
  const runtimes = metadata?.get('pulumi-runtime') ?? []
  if (runtimes.length > 0) return runtimes.length === 1 && runtimes[0] === 'nodejs'
  const [agent, ...more] = metadata?.get('user-agent') ?? []
  return more.length === 0 && typeof agent === 'string' && agent.startsWith('grpc-node-js/')
}

function toPlainAlias({ alias }: Alias): Alias {
  if (alias?.$case !== 'spec') return { alias }
  const { parent } = alias.value
  if (parent?.$case === 'parentUrn' && parent.value !== '') return { alias }
  if (parent?.$case === 'noParent' && !parent.value) return { alias }
  const isNone = parent?.$case === 'noParent'
  const put = isNone ? undefined : { $case: 'noParent' as const, value: true }
  return { alias: { $case: 'spec', value: { ...alias.value, parent: put } } }
}
