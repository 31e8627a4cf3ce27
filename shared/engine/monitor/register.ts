import type { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import type { Callback } from '../../../proto/gen/pulumi/callback.ts'
import type { ResourceInvokeRequest } from '../../../proto/gen/pulumi/resource.ts'
import type { Generator } from '../generator/generator.ts'
import type { Callbacks } from './callbacks.ts'
import { createInvokeTransforms } from './invoke-transforms.ts'
import type { ReadingDeps } from './read-registration.ts'
import { urnOrNone } from './request-urns.ts'
import { createTransforms, transformed } from './transforms.ts'

/** What a registration is carried out with. */
export interface RegisterDeps extends Pick<ReadingDeps, 'hashAssets'> {
  readonly generator: Pick<Generator, 'inherited'>
}

/** Registrations and functions of one life, through the transforms that apply to them. */
export interface Registrar {
  /**
   * The registration that the transforms make of a request. `isTransformed`: its provider and what
   * it inherits are put in; `registered` is told the URN once there is one, for its children.
   * Throws what a transform threw.
   */
  readonly transform: (
    deps: RegisterDeps,
    request: RegisterResourceRequest,
  ) => Promise<{
    readonly request: RegisterResourceRequest
    readonly isTransformed: boolean
    readonly registered: (urn: string) => void
  }>
  /** The call that the transforms make of a call. */
  readonly transformInvoke: (
    deps: RegisterDeps,
    request: ResourceInvokeRequest,
  ) => Promise<ResourceInvokeRequest>
  readonly handlers: {
    readonly registerStackTransform: (callback: Callback) => Promise<object>
    readonly registerStackInvokeTransform: (callback: Callback) => Promise<object>
  }
}

/** A registrar without transforms yet. */
export function createRegistrar(callbacks: Callbacks): Registrar {
  const transforms = createTransforms()
  const invokeTransforms = createInvokeTransforms(callbacks)
  const transform: Registrar['transform'] = async (deps, asked) => {
    const taken = transforms.take(asked)
    const registered = (urn: string): void => transforms.registered(urn, asked.parent, taken.own)
    if (taken.all.length === 0) return { request: asked, isTransformed: false, registered }
    const inherited = deps.generator.inherited({
      ...asked,
      protect: asked.protect,
      retainOnDelete: asked.retainOnDelete,
      parent: urnOrNone(asked.parent),
      deletedWith: urnOrNone(asked.deletedWith, 'DeletedWith'),
    })
    const { hashAssets } = deps
    const request = await transformed(asked, taken, { callbacks, inherited, hashAssets })
    return { request, isTransformed: true, registered }
  }
  return {
    transform,
    transformInvoke: ({ generator }, asked) =>
      invokeTransforms.transformed(asked, () => {
        const about = { type: asked.tok, parent: urnOrNone(asked.parent), custom: true }
        const { provider } = asked
        return generator.inherited({ ...saysNothing, ...about, provider }).provider
      }),
    handlers: {
      async registerStackTransform(callback) {
        transforms.addForStack(callback)
        return {}
      },
      async registerStackInvokeTransform(callback) {
        invokeTransforms.add(callback)
        return {}
      },
    },
  }
}

const saysNothing = {
  protect: undefined,
  retainOnDelete: undefined,
  deletedWith: '' as const,
  providers: new Map<string, string>(),
}
