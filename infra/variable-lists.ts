/** The variables of every function that has resources. */
export const commonVariables = ['installation', 'pool'] as const
/** The groups of stacks, for functions that serve all of them. */
export const groupVariables = ['groups', 'groupKeys'] as const
/** The tables and the bucket. */
export const storeVariables = ['journalTable', 'catalogTable', 'bucket'] as const
/** The queues of chains and nudges. The variable of a queue gives no permission for the queue. */
export const queueVariables = [
  'chainsQueue',
  'chainsLongQueue',
  'chainsDeadQueue',
  'chainsLongDeadQueue',
  'nudgesQueue',
  'nudgesLongQueue',
] as const
