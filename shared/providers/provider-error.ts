import type { PropertyMap } from '../values/value.ts'

/** Problems with single properties of a request. */
export interface PropertyProblems {
  readonly message: string
  readonly properties: readonly { readonly path: string; readonly reason: string }[]
}

/** The error of a failed provider call. */
export class ProviderError extends Error {
  /**
   * `ok`: the call had no effect. `partial`: the resource exists but is not ready. `unknown`: the
   * provider does not know the effect. `lost`: the connection or process ended, so the effect is
   * unknown.
   */
  readonly status: 'ok' | 'partial' | 'unknown' | 'lost'
  /** gRPC code. */
  readonly code: number
  /**
   * Whether the request was never written because no connection existed. The call may then be
   * retried.
   */
  readonly isRequestUnsent: boolean
  /** The problems with single properties, and the message without them. */
  readonly problems: PropertyProblems | undefined
  /** The existing resource. Set when `status` is `partial`. */
  readonly partialResource:
    | {
        readonly id: string
        readonly outputs: PropertyMap
        readonly inputs: PropertyMap | undefined
        readonly reasons: readonly string[]
        readonly refreshBeforeUpdate: boolean
      }
    | undefined

  constructor(
    message: string,
    details: {
      status: ProviderError['status']
      code: number
      isRequestUnsent?: boolean
      problems?: PropertyProblems | undefined
      partialResource?: ProviderError['partialResource']
      cause?: unknown
    },
  ) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.name = 'ProviderError'
    this.status = details.status
    this.code = details.code
    this.isRequestUnsent = details.isRequestUnsent ?? false
    this.problems = details.problems
    this.partialResource = details.partialResource
  }
}
