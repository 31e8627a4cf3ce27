import type { Metadata } from '@grpc/grpc-js'
import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import type { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'

/**
 * A registration whose aliases mean what they say: older Node SDKs said "no parent" by leaving the
 * parent out, and "the present one" by "no parent". Source: docs/spec/monitor.md#resourcemonitor
 * step 6.
 */
export function withPlainAliases(
  request: RegisterResourceRequest,
  metadata: Metadata | undefined,
): RegisterResourceRequest {
  if (request.aliasSpecs || request.aliases.length === 0 || !isFromNode(metadata)) return request
  return { ...request, aliases: request.aliases.map(toPlainAlias), aliasSpecs: true }
}

/** What a request says of its SDK counts before what its gRPC library is. */
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
