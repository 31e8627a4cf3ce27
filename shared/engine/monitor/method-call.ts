import { CallResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { ResourceCallRequest } from '../../../proto/gen/pulumi/resource.ts'
import { packageOf } from '../../names/provider-reference.ts'
import type { CallResult } from '../../providers/provider.ts'
import { decodeWire } from '../../values/decode-wire.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import type { MethodRequest } from '../generator/calls/call-method.ts'
import { requireVersion } from './packages.ts'
import { readPluginRequest, programWireOptions, type ReadingDeps } from './decode-registration.ts'
import { parseRequestUrn } from './request-urns.ts'

/**
 * Reads a method call from the wire. Throws VALUE_MALFORMED for an invalid value, RESOURCE_INVALID
 * for an invalid dependency, and PACKAGE_INVALID for an invalid version or unknown package.
 */
export async function readMethodRequest(
  request: ResourceCallRequest,
  stackTraceHandle: string,
  deps: Pick<ReadingDeps, 'hashAssets' | 'packages'>,
): Promise<MethodRequest> {
  if (request.provider === '') requireVersion('package', request.version)
  const args = decodeWire(request.args, { ...programWireOptions, upgradesToOutputs: true })
  return {
    token: request.tok,
    args: await deps.hashAssets(args),
    argDependencies: new Map(
      [...request.argDependencies].map(([key, { urns }]) => [
        key,
        urns.map(urn => parseRequestUrn(urn, `dependency on argument ${key}`)),
      ]),
    ),
    provider: request.provider,
    self: selfOf(request.args),
    plugin: readPluginRequest(packageOf(request.tok), request, deps),
    stackTraceHandle,
  }
}

/**
 * Returns the resource of a method call, from the fields of the argument `__self__`. The argument
 * may be a reference or a plain object.
 */
function selfOf(args: Record<string, unknown> | undefined): MethodRequest['self'] {
  const self = args !== undefined && Object.hasOwn(args, '__self__') ? args['__self__'] : undefined
  if (self === undefined) return undefined
  const { urn, id } = Object(self) as { readonly urn?: unknown; readonly id?: unknown }
  return {
    urn: typeof urn === 'string' ? urn : '',
    id: typeof id === 'string' ? id : undefined,
  }
}

/** Returns the result of a method for the wire. */
export function toMethodReply(
  { outputs, failures, dependencies }: CallResult,
  request: ResourceCallRequest,
): CallResponse {
  const options = { unknowns: 'keep', secrets: true, references: true, outputs: false } as const
  return CallResponse.create({
    return: encodeWire(outputs, { ...options, allowsByteStrings: request.acceptsByteString }),
    returnDependencies: new Map(
      [...(dependencies ?? [])].map(([key, urns]) => [key, { urns: [...urns] }]),
    ),
    failures: [...failures],
  })
}
