import type { Callback } from '../../../proto/gen/pulumi/callback.ts'
import {
  type RegisterResourceRequest,
  TransformRequest,
  type TransformResourceOptions,
  TransformResponse,
} from '../../../proto/gen/pulumi/resource.ts'
import { createError, messageOf } from '../../errors/error.ts'
import type { PropertyMap } from '../../values/value.ts'
import { decodeWire } from '../../values/decode-wire.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import type { WireOptions } from '../../values/wire-options.ts'
import type { Callbacks } from './callbacks.ts'
import {
  declaredDependenciesOf,
  attachDependencies,
  type InheritedOptions,
  transformOptionsOf,
  applyDependencies,
  applyOptions,
} from './transform-options.ts'

/**
 * The transforms that the program registered in one generator run. The program registers them again
 * in each run.
 */
export interface Transforms {
  /**
   * Adds a transform for all resources that are registered later. Throws RESOURCE_INVALID for a
   * callback without an address.
   */
  readonly addForStack: (callback: Callback) => void
  /**
   * Returns the transforms that apply to a registration: its own, those of its ancestors, and the
   * stack's. A remote component is registered twice: by the program, and by Construct of its
   * provider. The first call stores the component's own transforms. The second call uses and
   * removes them. So this function must be called exactly once per registration.
   */
  readonly takeApplicable: (request: RegisterResourceRequest) => ApplicableTransforms
  /** Records a registered resource's own transforms, for its children. */
  readonly noteRegistered: (urn: string, parent: string, ownTransforms: readonly Callback[]) => void
}

/** The transforms that apply to one registration. */
export interface ApplicableTransforms {
  readonly ownTransforms: readonly Callback[]
  /** In the order in which they run. */
  readonly allTransforms: readonly Callback[]
}

/** Creates an empty set of transforms. Source: docs/spec/monitor.md#registerresource step 11. */
export function createTransforms(): Transforms {
  const stackTransforms: Callback[] = []
  /** URN → the transforms of a resource that has or inherits some. */
  const transformsByUrn = new Map<string, { parent: string; ownTransforms: readonly Callback[] }>()
  const remoteTransforms = new Map<string, readonly Callback[]>()
  const takeOwn = (request: RegisterResourceRequest): readonly Callback[] => {
    const key = `${request.parent}::${request.type}::${request.name}`
    const remoteOwnTransforms = remoteTransforms.get(key)
    if (remoteOwnTransforms !== undefined) {
      remoteTransforms.delete(key)
      return remoteOwnTransforms
    }
    if (request.remote && request.transforms.length > 0)
      remoteTransforms.set(key, request.transforms)
    return request.transforms
  }
  const listInherited = (parent: string): readonly Callback[] => {
    const transforms: Callback[] = []
    for (let ancestor = transformsByUrn.get(parent); ancestor !== undefined; ) {
      transforms.push(...ancestor.ownTransforms)
      ancestor = transformsByUrn.get(ancestor.parent)
    }
    return transforms
  }
  return {
    addForStack(callback) {
      requireCallbackAddress(callback)
      stackTransforms.push(callback)
    },
    takeApplicable(request) {
      const ownTransforms = takeOwn(request)
      return {
        ownTransforms,
        allTransforms: [...ownTransforms, ...listInherited(request.parent), ...stackTransforms],
      }
    },
    noteRegistered(urn, parent, ownTransforms) {
      // Most resources have no transforms, and inherit none from their parents.
      if (ownTransforms.length > 0 || transformsByUrn.has(parent))
        transformsByUrn.set(urn, { parent, ownTransforms })
    },
  }
}

/** Throws RESOURCE_INVALID if a callback has no address of the program's callback server. */
export function requireCallbackAddress({ target }: Callback): void {
  if (target === '') throw createError('RESOURCE_INVALID', 'target must be specified')
}

/**
 * Applies transforms to a registration, and fills in its inherited options and provider. Throws
 * RESOURCE_INVALID with the error of a transform, or for an invalid response. Throws
 * VALUE_MALFORMED for invalid properties in the request.
 */
export async function applyTransforms(
  request: RegisterResourceRequest,
  { allTransforms }: ApplicableTransforms,
  deps: {
    readonly callbacks: Callbacks
    readonly inherited: InheritedOptions
    readonly hashAssets: (map: PropertyMap) => Promise<PropertyMap>
  },
): Promise<RegisterResourceRequest> {
  // As in Pulumi (pkg/resource/deploy/source_eval.go, RegisterResource, v3.274.1), the stored
  // transforms of a remote component do not count here.
  const hasOwnTransforms = request.transforms.length > 0
  const sentProperties = await deps.hashAssets(
    decodeWire(request.object, { ...wireOptionsOf(true), upgradesToOutputs: true }),
  )
  let properties = hasOwnTransforms
    ? attachDependencies(sentProperties, declaredDependenciesOf(request, sentProperties))
    : sentProperties
  let options = transformOptionsOf(request, deps.inherited)
  for (const callback of allTransforms)
    ({ properties, options } = await transformRegistration(request, callback, {
      ...deps,
      properties,
      options,
    }))
  const changedRequest = applyOptions(request, options)
  const requestWithDependencies = applyDependencies(changedRequest, {
    sentProperties,
    properties,
    options,
    hasOwnTransforms,
  })
  return { ...requestWithDependencies, object: encodeWire(properties, wireOptionsOf(true)) }
}

/** The properties and options of a registration between two transforms. */
interface TransformedRegistration {
  readonly properties: PropertyMap
  readonly options: TransformResourceOptions
}

async function transformRegistration(
  { type, name, custom, parent }: RegisterResourceRequest,
  callback: Callback,
  { callbacks, properties, options }: TransformedRegistration & { readonly callbacks: Callbacks },
): Promise<TransformedRegistration> {
  const object = encodeWire(properties, wireOptionsOf(callback.acceptsByteString))
  const transformRequest = { type, name, custom, parent, properties: object, options }
  try {
    const answer = TransformResponse.decode(
      await callbacks.invoke(callback, TransformRequest.encode(transformRequest).finish()),
    )
    return {
      properties:
        answer.properties === undefined
          ? properties
          : decodeWire(answer.properties, wireOptionsOf(true)),
      options: answer.options ?? options,
    }
  } catch (thrown) {
    throw createError('RESOURCE_INVALID', `invoke transform: ${messageOf(thrown)}`)
  }
}

/**
 * Returns the options with which values are sent to functions of a program and read back. Every
 * kind of value is preserved. Without `allowsByteStrings`, a string that is not UTF-8 is refused.
 */
export function wireOptionsOf(allowsByteStrings: boolean): WireOptions {
  return { unknowns: 'keep', secrets: true, references: true, outputs: true, allowsByteStrings }
}
