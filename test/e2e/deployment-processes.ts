import type { Sandbox, RunningCommand } from './sandbox.ts'
import type { KillTarget } from './rounds.ts'

/** Number of operations that each executor runs at the same time. */
export const operationsPerExecutor = 8

/**
 * The processes of a deployment: the `up` or `destroy` as its generator, two executors, and a
 * standby generator that can resume the deployment.
 */
export interface DeploymentProcesses {
  readonly start: (command: 'up' | 'destroy') => void
  /** Kills the processes of a target, and replaces all of them except `up` or `destroy`. */
  readonly killAndReplace: (target: KillTarget) => void
  /**
   * Ends all serving processes. Returns the exit code of the `up` or `destroy`, unless that process
   * was killed.
   */
  readonly end: () => Promise<number | undefined>
  /** The output of all generators. */
  readonly readOutput: () => string
  readonly kill: () => void
}

/** Creates the processes of a sandbox. None of them runs before `start`. */
export function createDeploymentProcesses(
  sandbox: Sandbox,
  env: Readonly<Record<string, string>>,
): DeploymentProcesses {
  const executors: RunningCommand[] = []
  const standbyGenerators: RunningCommand[] = []
  const generators: RunningCommand[] = []
  let deployCommand: RunningCommand | undefined
  const serve = (role: 'executor' | 'generator'): RunningCommand =>
    sandbox.start(['serve', '--only', role], { env })
  const serveGenerator = (): void => {
    const command = serve('generator')
    standbyGenerators.push(command)
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
    for (const command of [...executors.splice(0), ...standbyGenerators.splice(0), deployCommand])
      killCommand(command)
    deployCommand = undefined
  }
  const startServers = (): void => {
    executors.push(serve('executor'), serve('executor'))
    serveGenerator()
  }
  return {
    start(command) {
      startServers()
      const args = [
        command,
        '--yes',
        '--skip-preview',
        '-s',
        'dev',
        '-p',
        String(operationsPerExecutor),
      ]
      deployCommand = sandbox.start([...args, '--execute', 'elsewhere'], { env })
      generators.push(deployCommand)
    },
    killAndReplace(target) {
      if (target === 'all') {
        kill()
        startServers()
      } else if (target === 'executor') {
        killCommand(executors.shift())
        executors.push(serve('executor'))
      } else if (deployCommand !== undefined) {
        killCommand(deployCommand)
        deployCommand = undefined
      } else {
        killCommand(standbyGenerators.shift())
        serveGenerator()
      }
    },
    async end() {
      const exit = (await deployCommand?.done)?.exit
      for (const command of [...executors, ...standbyGenerators]) command.kill('SIGINT', 'group')
      await Promise.all([...executors, ...standbyGenerators].map(({ done }) => done))
      return exit
    },
    readOutput: () => generators.map(generator => generator.readOutput()).join('\n'),
    kill,
  }
}
