import type { Callback } from '../../../proto/gen/pulumi/callback.ts'
import {
  type RegisterResourceRequest,
  TransformRequest,
  type TransformResourceOptions,
  TransformResponse,
} from '../../../proto/gen/pulumi/resource.ts'
import { error, messageOf } from '../../errors/error.ts'
import type { PropertyMap } from '../../values/value.ts'
import { fromWire, toWire } from '../../values/wire.ts'
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
 * The transforms of one generator run. They exist in the program, which registers them again in
 * each run.
 */
export interface Transforms {
  /** Adds a transform for all resources that are registered later. Throws RESOURCE_INVALID. */
  readonly addForStack: (callback: Callback) => void
  /**
   * Takes the transforms that apply to a registration: its own, those of its parents, and the
   * stack's. The own transforms of a remote component are kept for the registration that its
   * Construct makes, which uses them instead of its own. Call it once per registration.
   */
  readonly take: (request: RegisterResourceRequest) => ApplicableTransforms
  /** Records the own transforms of a registered resource, for its children. */
  readonly noteRegistered: (urn: string, parent: string, own: readonly Callback[]) => void
}

/** The transforms that apply to one registration. */
export interface ApplicableTransforms {
  readonly own: readonly Callback[]
  /** In the order in which they run. */
  readonly all: readonly Callback[]
}

/** Creates an empty set of transforms. Source: docs/spec/monitor.md#resourcemonitor step 11. */
export function createTransforms(): Transforms {
  const ofStack: Callback[] = []
  const ofResources = new Map<string, { parent: string; own: readonly Callback[] }>()
  const ofComponents = new Map<string, readonly Callback[]>()
  const takeOwn = (request: RegisterResourceRequest): readonly Callback[] => {
    const key = `${request.parent}::${request.type}::${request.name}`
    const kept = ofComponents.get(key)
    if (kept !== undefined) {
      ofComponents.delete(key)
      return kept
    }
    if (request.remote && request.transforms.length > 0) ofComponents.set(key, request.transforms)
    return request.transforms
  }
  const listInherited = (parent: string): readonly Callback[] => {
    const found: Callback[] = []
    for (let next = ofResources.get(parent); next !== undefined; ) {
      found.push(...next.own)
      next = ofResources.get(next.parent)
    }
    return found
  }
  return {
    addForStack(callback) {
      requireTarget(callback)
      ofStack.push(callback)
    },
    take(request) {
      const own = takeOwn(request)
      return { own, all: [...own, ...listInherited(request.parent), ...ofStack] }
    },
    noteRegistered: (urn, parent, own) => void ofResources.set(urn, { parent, own }),
  }
}

/** Throws RESOURCE_INVALID for a function without an address. */
export function requireTarget({ target }: Callback): void {
  if (target === '') throw error('RESOURCE_INVALID', 'target must be specified')
}

/**
 * Applies transforms to a registration, and fills in its inherited options and provider. Throws
 * RESOURCE_INVALID with the error of a transform, or for an invalid response.
 */
export async function applyTransforms(
  request: RegisterResourceRequest,
  { all }: ApplicableTransforms,
  deps: {
    readonly callbacks: Callbacks
    readonly inherited: InheritedOptions
    readonly hashAssets: (map: PropertyMap) => Promise<PropertyMap>
  },
): Promise<RegisterResourceRequest> {
  const hasOwn = request.transforms.length > 0
  const sent = await deps.hashAssets(
    fromWire(request.object, { ...wireOptionsOf(true), upgrade: true }),
  )
  let properties = hasOwn ? attachDependencies(sent, declaredDependenciesOf(request, sent)) : sent
  let options = transformOptionsOf(request, deps.inherited)
  for (const callback of all)
    ({ properties, options } = await transformOnce(request, callback, {
      ...deps,
      properties,
      options,
    }))
  const changed = applyOptions(request, options)
  const depending = applyDependencies(changed, { sent, properties, options, hasOwn })
  return { ...depending, object: toWire(properties, wireOptionsOf(true)) }
}

interface TransformedOptions {
  readonly properties: PropertyMap
  readonly options: TransformResourceOptions
}

async function transformOnce(
  { type, name, custom, parent }: RegisterResourceRequest,
  callback: Callback,
  { callbacks, properties, options }: TransformedOptions & { readonly callbacks: Callbacks },
): Promise<TransformedOptions> {
  const object = toWire(properties, wireOptionsOf(callback.acceptsByteString))
  const transformRequest = { type, name, custom, parent, properties: object, options }
  try {
    const answer = TransformResponse.decode(
      await callbacks.invoke(callback, TransformRequest.encode(transformRequest).finish()),
    )
    return {
      properties:
        answer.properties === undefined
          ? properties
          : fromWire(answer.properties, wireOptionsOf(true)),
      options: answer.options ?? options,
    }
  } catch (thrown) {
    throw error('RESOURCE_INVALID', `invoke transform: ${messageOf(thrown)}`)
  }
}

/**
 * Returns the options with which values are sent to functions of a program and read back. Every
 * kind of value is preserved.
 */
export function wireOptionsOf(bytes: boolean): WireOptions {
  return { unknowns: 'keep', secrets: true, references: true, outputs: true, bytes }
}
