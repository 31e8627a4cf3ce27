import type { PropertyMap } from '../../values/value.ts'
import { containsUnknown } from '../../values/walk.ts'
import type { WireOptions } from '../../values/wire-options.ts'

/** How a caller is answered, by what it says that it takes. */
export function replyOptionsOf(request: {
  readonly acceptSecrets: boolean
  readonly acceptResources: boolean
  readonly acceptsByteString: boolean
}): WireOptions {
  return {
    unknowns: 'keep',
    secrets: request.acceptSecrets,
    references: request.acceptResources,
    outputs: false,
    bytes: request.acceptsByteString,
  }
}

/** What a caller is told of outputs: without those that hold unknowns where it cannot take them. */
export function visibleOutputsOf(
  outputs: PropertyMap,
  request: { readonly supportsPartialValues: boolean },
): PropertyMap {
  if (request.supportsPartialValues) return outputs
  return new Map([...outputs].filter(([, value]) => !containsUnknown(value)))
}
