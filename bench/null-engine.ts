import { join } from 'node:path'
import { type Engine, root } from './engine.ts'
import { type Measured, measuredRun } from './measured-run.ts'

/** What a program is run as by the null engine, and the package of all its resources. */
export interface NullAbout {
  readonly project: string
  readonly pkg: string
  readonly config: Readonly<Record<string, string>>
}

/**
 * The program of a folder, which was deployed to stack `bench`, driven by a monitor that knows
 * every answer from an export and makes only the calls that an engine must: Check and Diff of each
 * resource. `env`: what the program is given besides the environment of `engine`.
 */
export async function nullEngine(
  engine: Engine,
  folder: string,
  about: NullAbout,
): Promise<(env?: NodeJS.ProcessEnv) => Promise<Measured>> {
  const exported = join(folder, 'state.json')
  const words = ['stack', 'export', '--show-secrets', '--stack', 'bench', '--file', exported]
  await engine.run(folder, words)
  const monitor = join(root, 'bench', 'null-monitor.ts')
  return (env = {}) =>
    measuredRun(process.execPath, [monitor, exported, JSON.stringify(about)], {
      cwd: folder,
      env: { ...engine.environment(folder), ...env },
    })
}
