import { join } from 'node:path'
import { type Engine, repositoryRoot } from './engine.ts'
import { type RunMeasurement, measureRun } from './measure-run.ts'

/** What a program is run as by the null engine, and the package of all its resources. */
export interface NullEngineOptions {
  readonly project: string
  readonly pkg: string
  readonly config: Readonly<Record<string, string>>
}

/**
 * The program of a folder, which was deployed to stack `bench`, driven by a monitor that knows
 * every answer from an export and makes only the calls that an engine must: Check and Diff of each
 * resource. `env`: what the program is given besides the environment of `engine`.
 */
export async function createNullEngine(
  engine: Engine,
  folder: string,
  options: NullEngineOptions,
): Promise<(env?: NodeJS.ProcessEnv) => Promise<RunMeasurement>> {
  const exported = join(folder, 'state.json')
  const args = ['stack', 'export', '--show-secrets', '--stack', 'bench', '--file', exported]
  await engine.run(folder, args)
  const monitor = join(repositoryRoot, 'bench', 'null-monitor.ts')
  return (env = {}) =>
    measureRun(process.execPath, [monitor, exported, JSON.stringify(options)], {
      cwd: folder,
      env: { ...engine.createVariables(folder), ...env },
    })
}
