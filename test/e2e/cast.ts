import type { Place, RunningCommand } from './place.ts'
import type { Victim } from './rounds.ts'

/** How many operations each executor runs at once. */
export const parallel = 8

/** The processes of a deployment: two executors, a generator, and one that waits to go on. */
export interface Cast {
  readonly start: (command: 'up' | 'destroy') => void
  /** Kills, and starts others in the place of those. */
  readonly strike: (whom: Victim) => void
  /** Ends all that serve; answers how the deployment's own command ended, if nobody killed it. */
  readonly end: () => Promise<number | undefined>
  /** What generators have said. */
  readonly said: () => string
  readonly kill: () => void
}

/** Makes the processes of a place; nothing runs before it is started. */
export function createCast(place: Place, env: Readonly<Record<string, string>>): Cast {
  const executors: RunningCommand[] = []
  const waiting: RunningCommand[] = []
  const generators: RunningCommand[] = []
  let first: RunningCommand | undefined
  const serve = (role: 'executor' | 'generator'): RunningCommand =>
    place.start(['serve', '--only', role], { env })
  const serveGenerator = (): void => {
    const command = serve('generator')
    waiting.push(command)
    generators.push(command)
  }
  const shoot = (command: RunningCommand | undefined): void => {
    try {
      command?.kill('SIGKILL', 'group')
    } catch {
      // It had ended by itself.
    }
  }
  const kill = (): void => {
    for (const command of [...executors.splice(0), ...waiting.splice(0), first]) shoot(command)
    first = undefined
  }
  const people = (): void => {
    executors.push(serve('executor'), serve('executor'))
    serveGenerator()
  }
  return {
    start(command) {
      people()
      const words = [command, '--yes', '--skip-preview', '-s', 'dev', '-p', String(parallel)]
      first = place.start([...words, '--execute', 'elsewhere'], { env })
      generators.push(first)
    },
    strike(whom) {
      if (whom === 'all') {
        kill()
        people()
      } else if (whom === 'executor') {
        shoot(executors.shift())
        executors.push(serve('executor'))
      } else if (first !== undefined) {
        shoot(first)
        first = undefined
      } else {
        shoot(waiting.shift())
        serveGenerator()
      }
    },
    async end() {
      const exit = (await first?.done)?.exit
      for (const command of [...executors, ...waiting]) command.kill('SIGINT', 'group')
      await Promise.all([...executors, ...waiting].map(({ done }) => done))
      return exit
    },
    said: () => generators.map(one => one.said()).join('\n'),
    kill,
  }
}
