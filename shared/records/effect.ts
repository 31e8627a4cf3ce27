/** One effect of a handler: what it changes outside its process. */
export interface Effect {
  /** Port and method, or what is asked of a provider; a log record with what it decides. */
  readonly call: string
  /** The files that do it; of a log record, those that decide it. */
  readonly by: readonly string[]
  readonly what: string
  /** What holds when the process dies right after it. */
  readonly ifDead: string
  /** When it is done; absent: each time. */
  readonly only?: string
  /** The number of the effect from which the list may go on once more after this one. */
  readonly again?: number
}

/** What one handler does in one go, in order. */
export interface EffectList {
  readonly handler: string
  readonly when: string
  /**
   * What the order holds for: one process, one executor, one chain that was decided, one operation
   * that is run, one that the generator ends itself, one message.
   */
  readonly per: 'process' | 'executor' | 'chain' | 'run' | 'own' | 'message'
  readonly effects: readonly Effect[]
}

/** Calls that no list has, and why. */
export interface UnlistedCalls {
  readonly calls: readonly string[]
  readonly why: string
}
