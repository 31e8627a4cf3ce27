import type { Urn } from './urn.ts'

/**
 * Another name that a resource had: a URN, or what differs from now. `parent` '' means no parent.
 */
export type Alias =
  | { readonly kind: 'urn'; readonly urn: Urn }
  | {
      readonly kind: 'spec'
      readonly name?: string
      readonly type?: string
      readonly stack?: string
      readonly project?: string
      /** Absent: the parent of now. '': none. */
      readonly parent?: Urn | ''
    }
