import {
  RegisterResourceRequest,
  RegisterResourceResponse,
  Result,
} from '../../../proto/gen/pulumi/resource.ts'
import type { HookNames } from '../../providers/component-construction.ts'
import { parseUrn } from '../../names/urn.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import type { Generator } from '../generator/generator.ts'
import { readFrames, decodeRegistration, type ReadingDeps } from './decode-registration.ts'
import { replyOptionsOf, visibleOutputsOf } from './reply-options.ts'

/**
 * Registers a remote component. Its provider constructs the component and calls this monitor. If
 * the provider is not configured yet, `register` registers the component without its children.
 * Source: docs/spec/monitor.md#registerresource.
 */
export async function registerRemote(
  request: RegisterResourceRequest,
  deps: ReadingDeps & { readonly generator: Pick<Generator, 'construct'> },
  register: (request: RegisterResourceRequest) => Promise<RegisterResourceResponse>,
): Promise<RegisterResourceResponse> {
  const registration = await decodeRegistration(request, deps)
  const { type, name, parent, customTimeouts } = request
  const component = await deps.traces.runWithFrames(readFrames(request, deps), stackTraceHandle =>
    deps.generator.construct({
      registration,
      customTimeouts,
      hooks: hookNamesOf(request),
      stackTraceHandle,
      async registerBare() {
        const { urn } = await register(RegisterResourceRequest.create({ type, name, parent }))
        return parseUrn(urn)
      },
    }),
  )
  return RegisterResourceResponse.create({
    urn: component.urn,
    object: encodeWire(visibleOutputsOf(component.outputs, request), replyOptionsOf(request)),
    propertyDependencies: new Map(
      [...component.dependencies].map(([key, urns]) => [key, { urns: [...urns] }]),
    ),
    result: Result.SUCCESS,
  })
}

/**
 * Returns the hooks of a component. Returns undefined if it has none. `HookNames` has no error
 * hooks, because Construct ignores them.
 */
function hookNamesOf({ hooks }: RegisterResourceRequest): HookNames | undefined {
  if (hooks === undefined) return undefined
  const hasAnyHook = Object.values(hooks).some(names => Array.isArray(names) && names.length > 0)
  return hasAnyHook ? hooks : undefined
}
