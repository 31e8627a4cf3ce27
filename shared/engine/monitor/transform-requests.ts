import type {
  RegisterResourceRequest,
  ResourceInvokeRequest,
} from '../../../proto/gen/pulumi/resource.ts'
import type { Callback } from '../../../proto/gen/pulumi/callback.ts'
import type { Generator } from '../generator/generator.ts'
import type { Callbacks } from './callbacks.ts'
import { createInvokeTransforms } from './invoke-transforms.ts'
import type { ReadingDeps } from './decode-registration.ts'
import { parseOptionalUrn } from './request-urns.ts'
import { createTransforms, applyTransforms } from './transforms.ts'

/** The functions that a request transformer needs. */
export interface TransformDeps extends Pick<ReadingDeps, 'hashAssets'> {
  readonly generator: Pick<Generator, 'inheritOptions'>
}

/** Applies the transforms of a program to the registrations and calls of one generator run. */
export interface RequestTransformer {
  /**
   * Transforms a registration request. `hasInheritedOptions`: whether the provider and the
   * inherited options of the request were filled in. They are filled in if any transform applies.
   * `noteRegistered` must be called with the registered URN, so that children inherit the
   * transforms. Throws RESOURCE_INVALID with the error of a transform, and VALUE_MALFORMED for
   * invalid properties.
   */
  readonly transform: (
    deps: TransformDeps,
    request: RegisterResourceRequest,
  ) => Promise<{
    readonly request: RegisterResourceRequest
    readonly hasInheritedOptions: boolean
    readonly noteRegistered: (urn: string) => void
  }>
  /** Transforms a function call. */
  readonly transformInvoke: (
    deps: TransformDeps,
    request: ResourceInvokeRequest,
  ) => Promise<ResourceInvokeRequest>
  readonly handlers: {
    readonly registerStackTransform: (callback: Callback) => Promise<object>
    readonly registerStackInvokeTransform: (callback: Callback) => Promise<object>
  }
}

/** Creates a request transformer. It has no transforms until the program registers some. */
export function createRequestTransformer(callbacks: Callbacks): RequestTransformer {
  const transforms = createTransforms()
  const invokeTransforms = createInvokeTransforms(callbacks)
  const transform: RequestTransformer['transform'] = async (deps, wireRequest) => {
    const applicableTransforms = transforms.takeApplicable(wireRequest)
    const noteRegistered = (urn: string): void =>
      transforms.noteRegistered(urn, wireRequest.parent, applicableTransforms.ownTransforms)
    if (applicableTransforms.allTransforms.length === 0)
      return { request: wireRequest, hasInheritedOptions: false, noteRegistered }
    const inheritedOptions = deps.generator.inheritOptions({
      ...wireRequest,
      protect: wireRequest.protect,
      retainOnDelete: wireRequest.retainOnDelete,
      parent: parseOptionalUrn(wireRequest.parent),
      deletedWith: parseOptionalUrn(wireRequest.deletedWith, 'DeletedWith'),
    })
    const { hashAssets } = deps
    const request = await applyTransforms(wireRequest, applicableTransforms, {
      callbacks,
      inherited: inheritedOptions,
      hashAssets,
    })
    return { request, hasInheritedOptions: true, noteRegistered }
  }
  return {
    transform,
    transformInvoke: ({ generator }, invokeRequest) =>
      invokeTransforms.transform(invokeRequest, () => {
        const callFields = {
          type: invokeRequest.tok,
          parent: parseOptionalUrn(invokeRequest.parent),
          custom: true,
        }
        const { provider } = invokeRequest
        return generator.inheritOptions({ ...noOptions, ...callFields, provider }).provider
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

const noOptions = {
  protect: undefined,
  retainOnDelete: undefined,
  deletedWith: '' as const,
  providers: new Map<string, string>(),
}
