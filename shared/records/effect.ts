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
  /** Number of the effect, from 1, with which the list can continue again after this effect. */
  readonly loopsBackTo?: number
}

/** The effects of a handler in one run, in order. */
export interface EffectList {
  readonly handler: string
  /** The work of the handler in this run, as a clause such as `a deployment starts`. */
  readonly situation: string
  /**
   * The unit whose effects have the order of the list: a process, executor, chain or message.
   * `run`: one delivery of one operation. `own`: one operation that the generator ends without an
   * executor.
   */
  readonly orderedPer: 'process' | 'executor' | 'chain' | 'run' | 'own' | 'message'
  readonly effects: readonly Effect[]
}

/** Port calls that no list contains, with the reason. */
export interface UnlistedCalls {
  readonly calls: readonly string[]
  readonly reason: string
}
