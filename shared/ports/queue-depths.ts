/** The numbers of messages in a queue. Queues count them approximately. */
export interface QueueDepth {
  /** The name without the installation, such as `chains`. */
  readonly queue: string
  /** Messages that no receiver has. They include delayed messages. */
  readonly waiting: number
  /** Messages that a receiver has and did not remove yet. */
  readonly held: number
  /** Messages that failed repeatedly. Absent where the reader may not count them. */
  readonly dead?: number
}

/** Reads the depths of the queues of an installation. */
export interface QueueDepthsPort {
  readonly read: () => Promise<readonly QueueDepth[]>
}
