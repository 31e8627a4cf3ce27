import type { HintsPort } from '../../ports/queue.ts'
import type { LogPort } from '../../ports/system.ts'
import { createHints } from '../embedded/hints.ts'

/**
 * Hints on AWS: within one process only. A hint is a shortcut; whoever waits in another function
 * looks at the heads.
 */
export function createLocalHints(log: LogPort): HintsPort {
  return createHints(log, { signal: () => undefined, hear: () => () => undefined })
}
