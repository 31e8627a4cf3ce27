import type { PropertyMap } from '../../values/value.ts'
import { containsUnknown } from '../../values/special-values.ts'
import type { WireOptions } from '../../values/wire-options.ts'

/** Returns the wire options of a response: the kinds of values that the request accepts. */
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
    allowsByteStrings: request.acceptsByteString,
  }
}

/**
 * Returns the outputs for a caller. Outputs with unknown parts are omitted if the caller does not
 * support them.
 */
export function visibleOutputsOf(
  outputs: PropertyMap,
  request: { readonly supportsPartialValues: boolean },
): PropertyMap {
  if (request.supportsPartialValues) return outputs
  return new Map([...outputs].filter(([, value]) => !containsUnknown(value)))
}
