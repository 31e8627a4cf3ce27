import type { View as WireView } from '../../../proto/gen/pulumi/provider.ts'
import type { WireOptions } from '../../values/wire-options.ts'
import type { ViewRequest } from '../views.ts'
import { type ProviderSession, encodeProperties } from './provider-session.ts'

/**
 * Returns the address and token that the provider needs to report views. Both are '' when the
 * request has no status endpoint.
 */
export function createViewStatusFields({ status }: ViewRequest): {
  readonly resourceStatusAddress: string
  readonly resourceStatusToken: string
} {
  return {
    resourceStatusAddress: status?.address ?? '',
    resourceStatusToken: status?.token ?? '',
  }
}

/**
 * Encodes the existing views of a resource for a request to its provider
 * (docs/spec/provider-protocol.md#views-hooks-refresh-before-update).
 */
export function encodeOldViews(
  session: ProviderSession,
  { views = [] }: ViewRequest,
  encoding: { readonly method: { readonly path: string }; readonly options: WireOptions },
): WireView[] {
  const { method, options } = encoding
  return views.map(view => ({
    type: view.type,
    name: view.name,
    parentType: view.parentType,
    parentName: view.parentName,
    inputs: encodeProperties(session, method, { map: view.inputs, options }),
    outputs: encodeProperties(session, method, { map: view.outputs, options }),
  }))
}
