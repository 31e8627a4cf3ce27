import { join } from 'node:path'
import { type Engine, repositoryRoot } from './engine.ts'
import { type RunMeasurement, measureRun } from './measure-run.ts'

/** The program that the null engine runs, and the package of all its resources. */
export interface NullEngineOptions {
  readonly project: string
  readonly pkg: string
  readonly config: Readonly<Record<string, string>>
  /** Whether the null engine creates the resources. Default: it compares them with the state. */
  readonly creates?: boolean
}

/**
 * Returns a function that runs the null engine on the program of a folder. The program was deployed
 * to the stack `bench`, and the null engine reads every result from the exported state. It makes
 * only the calls that any engine must make: Check and Diff of each resource. With `creates` there
 * is no state, and the null engine creates each resource after its Check. `env`: variables of the
 * program besides those of `engine`.
 */
export async function createNullEngine(
  engine: Engine,
  folder: string,
  options: NullEngineOptions,
): Promise<(env?: NodeJS.ProcessEnv) => Promise<RunMeasurement>> {
  const statePath = options.creates === true ? '' : join(folder, 'state.json')
  const args = ['stack', 'export', '--show-secrets', '--stack', 'bench', '--file', statePath]
  if (statePath !== '') await engine.run(folder, args)
  const monitor = join(repositoryRoot, 'bench', 'null-monitor.ts')
  return (env = {}) =>
    measureRun(process.execPath, [monitor, statePath, JSON.stringify(options)], {
      cwd: folder,
      env: { ...engine.prepareEnvironment(folder), ...env },
    })
}
