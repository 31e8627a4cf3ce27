import type { Place, RunningCommand } from './place.ts'
import type { Victim } from './rounds.ts'

/** How many operations each executor runs at once. */
export const parallel = 8

/** The processes of a deployment: two executors, a generator, and one that waits to go on. */
export interface DeploymentProcesses {
  readonly start: (command: 'up' | 'destroy') => void
  /** Kills, and starts others in the place of those. */
  readonly strike: (whom: Victim) => void
  /** Ends all that serve; answers how the deployment's own command ended, if nobody killed it. */
  readonly end: () => Promise<number | undefined>
  /** What generators have said. */
  readonly readOutput: () => string
  readonly kill: () => void
}

/** Makes the processes of a place; nothing runs before it is started. */
export function createDeploymentProcesses(
  place: Place,
  env: Readonly<Record<string, string>>,
): DeploymentProcesses {
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
  const killCommand = (command: RunningCommand | undefined): void => {
    try {
      command?.kill('SIGKILL', 'group')
    } catch {
      // It had ended by itself.
    }
  }
  const kill = (): void => {
    for (const command of [...executors.splice(0), ...waiting.splice(0), first])
      killCommand(command)
    first = undefined
  }
  const startServers = (): void => {
    executors.push(serve('executor'), serve('executor'))
    serveGenerator()
  }
  return {
    start(command) {
      startServers()
      const args = [command, '--yes', '--skip-preview', '-s', 'dev', '-p', String(parallel)]
      first = place.start([...args, '--execute', 'elsewhere'], { env })
      generators.push(first)
    },
    strike(whom) {
      if (whom === 'all') {
        kill()
        startServers()
      } else if (whom === 'executor') {
        killCommand(executors.shift())
        executors.push(serve('executor'))
      } else if (first !== undefined) {
        killCommand(first)
        first = undefined
      } else {
        killCommand(waiting.shift())
        serveGenerator()
      }
    },
    async end() {
      const exit = (await first?.done)?.exit
      for (const command of [...executors, ...waiting]) command.kill('SIGINT', 'group')
      await Promise.all([...executors, ...waiting].map(({ done }) => done))
      return exit
    },
    readOutput: () => generators.map(one => one.readOutput()).join('\n'),
    kill,
  }
}
