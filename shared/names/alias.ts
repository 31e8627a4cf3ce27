import type { Urn } from './urn.ts'

/** A former name of a resource: a URN, or the parts that differ from the current name. */
export type Alias =
  | { readonly kind: 'urn'; readonly urn: Urn }
  | {
      readonly kind: 'spec'
      readonly name?: string
      readonly type?: string
      readonly stack?: string
      readonly project?: string
      /** Absent: the current parent. '': the resource had no parent. */
      readonly parent?: Urn | ''
    }
