import type { Place, RunningCommand } from './place.ts'
import type { Victim } from './rounds.ts'

/** Number of operations that each executor runs at once. */
export const parallel = 8

/**
 * The processes of a deployment: two executors, a generator, and a standby generator that can
 * resume it.
 */
export interface DeploymentProcesses {
  readonly start: (command: 'up' | 'destroy') => void
  /** Kills processes and starts replacements. */
  readonly strike: (whom: Victim) => void
  /**
   * Ends all serving processes. Returns the exit code of the deployment's own command, unless it
   * was killed.
   */
  readonly end: () => Promise<number | undefined>
  /** The output of all generators. */
  readonly readOutput: () => string
  readonly kill: () => void
}

/** Creates the processes of a place. None runs before `start`. */
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
      // The process had already ended.
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
