/** An effect of a handler: a change outside its process. */
export interface Effect {
  /** Port and method, a provider call, or a log record with its decision. */
  readonly call: string
  /** The files that cause the effect. For a log record: the files that make its decision. */
  readonly sourceFiles: readonly string[]
  readonly description: string
  /** The situation after a crash directly after this effect. */
  readonly afterCrash: string
  /** The condition of the effect; absent: always. */
  readonly condition?: string
  /** The number of the effect to which the list can return after this effect. Counts from 1. */
  readonly loopsBackTo?: number
}

/** The effects of one call of a handler, in order. */
export interface EffectList {
  readonly handler: string
  /** The situation in which the handler runs, as a clause such as `a deployment starts`. */
  readonly situation: string
  /**
   * The unit whose effects have the order of the list: a process, executor, chain or message.
   * `delivery`: one delivery of one operation. `generatorOperation`: one operation that the
   * generator ends without an executor.
   */
  readonly orderedPer:
    | 'process'
    | 'executor'
    | 'chain'
    | 'delivery'
    | 'generatorOperation'
    | 'message'
  readonly effects: readonly Effect[]
}

/** Port calls that no list contains, with the reason. */
export interface UnlistedCalls {
  readonly calls: readonly string[]
  readonly reason: string
}
