import type { Callback } from '../../../proto/gen/pulumi/callback.ts'
import {
  type ResourceInvokeRequest,
  TransformInvokeRequest,
  TransformInvokeResponse,
} from '../../../proto/gen/pulumi/resource.ts'
import { decodeWire } from '../../values/decode-wire.ts'
import { encodeWire } from '../../values/encode-wire.ts'
import { createSerialQueue } from '../serial-queue.ts'
import type { Callbacks } from './callbacks.ts'
import { programWireOptions } from './decode-registration.ts'
import { requireCallbackAddress, wireOptionsOf } from './transforms.ts'

/** The transforms of function calls in one generator run. */
export interface InvokeTransforms {
  /**
   * Adds a transform for all later function calls. Throws RESOURCE_INVALID for a callback without
   * an address.
   */
  readonly add: (callback: Callback) => void
  /**
   * Applies the transforms to a call, in the order in which they were added. Calls are transformed
   * one at a time. `resolveProvider`: returns the explicit or inherited provider of the call.
   */
  readonly transform: (
    request: ResourceInvokeRequest,
    resolveProvider: () => string,
  ) => Promise<ResourceInvokeRequest>
}

/**
 * Creates an empty set of transforms. Source: docs/spec/monitor.md#invoke,
 * docs/spec/monitor.md#callbacks-service.
 */
export function createInvokeTransforms(callbacks: Callbacks): InvokeTransforms {
  const transforms: Callback[] = []
  const runInTurn = createSerialQueue()
  const applyAll = async (
    request: ResourceInvokeRequest,
    provider: string,
  ): Promise<ResourceInvokeRequest> => {
    // The transforms determine the provider, so the parent must not determine it again.
    let current: ResourceInvokeRequest = { ...request, provider, parent: '' }
    for (const callback of transforms) current = await transformCall(current, callback, callbacks)
    return current
  }
  return {
    add(callback) {
      requireCallbackAddress(callback)
      transforms.push(callback)
    },
    transform(request, resolveProvider) {
      if (transforms.length === 0) return Promise.resolve(request)
      return runInTurn(() => applyAll(request, resolveProvider()))
    },
  }
}

async function transformCall(
  request: ResourceInvokeRequest,
  callback: Callback,
  callbacks: Callbacks,
): Promise<ResourceInvokeRequest> {
  const { provider, version, pluginDownloadURL: pluginDownloadUrl, pluginChecksums } = request
  const options = { provider, version, pluginDownloadUrl, pluginChecksums }
  const args = decodeWire(request.args, { ...programWireOptions, outputs: false })
  const transformRequest = {
    token: request.tok,
    args: encodeWire(args, wireOptionsOf(callback.acceptsByteString)),
    options,
  }
  const answer = TransformInvokeResponse.decode(
    await callbacks.invoke(callback, TransformInvokeRequest.encode(transformRequest).finish()),
  )
  const changedOptions = answer.options ?? options
  return {
    ...request,
    args: answer.args ?? request.args,
    provider: changedOptions.provider,
    version: changedOptions.version,
    pluginDownloadURL: changedOptions.pluginDownloadUrl,
    pluginChecksums: changedOptions.pluginChecksums,
  }
}
