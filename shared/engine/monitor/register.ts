import type { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import type { Callback } from '../../../proto/gen/pulumi/callback.ts'
import type { ResourceInvokeRequest } from '../../../proto/gen/pulumi/resource.ts'
import type { Generator } from '../generator/generator.ts'
import type { CurrentState } from '../generator/sets.ts'
import type { Callbacks } from './callbacks.ts'
import { createInvokeTransforms } from './invoke-transforms.ts'
import { readRegistration, type ReadingDeps, urnOrNone } from './read-registration.ts'
import { createTransforms, type Taken, transformed } from './transforms.ts'

/** What a registration is carried out with. */
export interface RegisterDeps extends ReadingDeps {
  readonly generator: Pick<Generator, 'register' | 'inherited'>
}

/** Registrations and functions of one life, through the transforms that apply to them. */
export interface Registrar {
  /** Decides and carries out. Throws as the generator does, and what a transform threw. */
  readonly register: (deps: RegisterDeps, request: RegisterResourceRequest) => Promise<CurrentState>
  /**
   * The registration that the transforms make of a request, and those that are its own: for who
   * carries it out otherwise. `isTransformed`: its provider and what it inherits are put in.
   */
  readonly transform: (
    deps: RegisterDeps,
    request: RegisterResourceRequest,
  ) => Promise<
    Taken & { readonly request: RegisterResourceRequest; readonly isTransformed: boolean }
  >
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
    if (taken.all.length === 0) return { ...taken, request: asked, isTransformed: false }
    const inherited = deps.generator.inherited({
      ...asked,
      protect: asked.protect,
      retainOnDelete: asked.retainOnDelete,
      parent: urnOrNone(asked.parent),
      deletedWith: urnOrNone(asked.deletedWith),
    })
    const { hashAssets } = deps
    const request = await transformed(asked, taken, { callbacks, inherited, hashAssets })
    return { ...taken, request, isTransformed: true }
  }
  return {
    transform,
    async register(deps, asked) {
      const { request, isTransformed, own } = await transform(deps, asked)
      const registration = await readRegistration(request, deps)
      const current = await deps.generator.register(registration, isTransformed)
      transforms.registered(current.state.urn, asked.parent, own)
      return current
    },
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
