/** An effect of a handler: a change outside its process. */
export interface Effect {
  /** Port and method, a provider call, or a log record with its decision. */
  readonly call: string
  /** The files that cause the effect; of a log record, those that make the decision. */
  readonly by: readonly string[]
  readonly what: string
  /** The situation after a crash directly after this effect. */
  readonly ifDead: string
  /** The condition of the effect; absent: always. */
  readonly only?: string
  /** The number of the effect from which the list may repeat after this one. */
  readonly again?: number
}

/** The effects of a handler in one run, in order. */
export interface EffectList {
  readonly handler: string
  readonly when: string
  /**
   * The scope of the order: one process, one executor, one decided chain, one executed operation,
   * one operation that the generator ends itself, or one message.
   */
  readonly per: 'process' | 'executor' | 'chain' | 'run' | 'own' | 'message'
  readonly effects: readonly Effect[]
}

/** Port calls that no list contains, with the reason. */
export interface UnlistedCalls {
  readonly calls: readonly string[]
  readonly why: string
}
