import { status } from '@grpc/grpc-js'
import type { PropertyMap } from '../../../values/value.ts'
import { ProviderError } from '../../provider-error.ts'

/** Creates the error of a change that failed, but left an object that must be recorded. */
export function createPartialFailure(
  problems: readonly string[],
  object: { readonly id: string; readonly outputs: PropertyMap },
): ProviderError {
  return new ProviderError(problems.join('; '), {
    status: 'partial',
    code: status.FAILED_PRECONDITION,
    partialResource: {
      ...object,
      inputs: undefined,
      reasons: problems,
      refreshBeforeUpdate: false,
    },
  })
}
