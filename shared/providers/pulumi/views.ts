import type { View as WireView } from '../../../proto/gen/pulumi/provider.ts'
import type { WireOptions } from '../../values/wire.ts'
import type { ViewRequest } from '../views.ts'
import { type ProviderSession, encodeProperties } from './provider-session.ts'

/** Where a request says that views may be told of; '' where they may not. */
export function statusFieldsOf({ status }: ViewRequest): {
  readonly resourceStatusAddress: string
  readonly resourceStatusToken: string
} {
  return {
    resourceStatusAddress: status?.address ?? '',
    resourceStatusToken: status?.token ?? '',
  }
}

/**
 * The views that a request says there are
 * (docs/spec/provider-protocol.md#views-hooks-refresh-before-update).
 */
export function encodeOldViews(
  session: ProviderSession,
  { views = [] }: ViewRequest,
  how: { readonly method: { readonly path: string }; readonly options: WireOptions },
): WireView[] {
  const { method, options } = how
  return views.map(view => ({
    type: view.type,
    name: view.name,
    parentType: view.parentType,
    parentName: view.parentName,
    inputs: encodeProperties(session, method, { map: view.inputs, options }),
    outputs: encodeProperties(session, method, { map: view.outputs, options }),
  }))
}
