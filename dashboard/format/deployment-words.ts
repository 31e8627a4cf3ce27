/** The meaning of a status, which decides its color and symbol. */
export type StatusTone = 'good' | 'bad' | 'busy' | 'warn' | 'quiet'

/** A status as the page shows it. */
export interface StatusWord {
  readonly text: string
  readonly tone: StatusTone
}

const resultWords: ReadonlyMap<string, StatusWord> = new Map([
  ['succeeded', { text: 'succeeded', tone: 'good' }],
  ['failed', { text: 'failed', tone: 'bad' }],
  ['cancelled', { text: 'cancelled', tone: 'warn' }],
  ['interrupted', { text: 'interrupted', tone: 'warn' }],
])

/** Returns the status of a deployment. `result` is undefined while the deployment is open. Pure. */
export function resultWordOf(result: string | undefined): StatusWord {
  if (result === undefined) return { text: 'running', tone: 'busy' }
  return resultWords.get(result) ?? { text: result, tone: 'quiet' }
}

/** Returns the name of a command as users know it. Pure. */
export function commandWordOf(command: string): string {
  return command === 'up' ? 'update' : command
}
