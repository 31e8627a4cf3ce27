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

/** The transforms of one life: they live in the program, and each life hears of them anew. */
export interface Transforms {
  /** One for all resources that are registered after it. Throws RESOURCE_INVALID. */
  readonly addForStack: (callback: Callback) => void
  /**
   * Takes the transforms that apply to a registration: its own, its parents', the stack's. Those of
   * a remote component are kept for the registration that its Construct makes, which takes them
   * instead of its own: it is called once per registration.
   */
  readonly take: (request: RegisterResourceRequest) => ApplicableTransforms
  /** Notes what was registered, for its children. */
  readonly noteRegistered: (urn: string, parent: string, own: readonly Callback[]) => void
}

/** What applies to one registration. */
export interface ApplicableTransforms {
  readonly own: readonly Callback[]
  /** In the order in which they run. */
  readonly all: readonly Callback[]
}

/** No transform yet. Source: docs/spec/monitor.md#resourcemonitor step 11. */
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

/** Throws RESOURCE_INVALID for a function that is nowhere. */
export function requireTarget({ target }: Callback): void {
  if (target === '') throw error('RESOURCE_INVALID', 'target must be specified')
}

/**
 * The registration that its transforms make of a request, what it inherits and its provider put in.
 * Throws RESOURCE_INVALID with what a transform threw, or for an answer that is none.
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

/** How values go to functions of a program and come back: everything stays what it is. */
export function wireOptionsOf(bytes: boolean): WireOptions {
  return { unknowns: 'keep', secrets: true, references: true, outputs: true, bytes }
}
