import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import manifest from '../package.json' with { type: 'json' }
import { type RunMeasurement, measureRun } from './measure-run.ts'

/** The folder of the repository. */
export const repositoryRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** An engine with a command line: Antichain or Pulumi. */
export interface Engine {
  readonly name: 'antichain' | 'pulumi'
  readonly version: string
  readonly run: (
    folder: string,
    args: readonly string[],
    extraVariables?: NodeJS.ProcessEnv,
  ) => Promise<RunMeasurement>
  /** Creates the engine's folders below `folder`, and returns the environment of its commands. */
  readonly prepareEnvironment: (folder: string) => NodeJS.ProcessEnv
}

/**
 * Creates a folder with a link to the current Node, and returns it. The current Node is usually in
 * a folder that Antichain removes from the PATH of programs. With the link, the programs of both
 * engines run on the same Node.
 */
function createNodeFolder(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  if (!existsSync(join(bin, 'node'))) symlinkSync(process.execPath, join(bin, 'node'))
  return bin
}

/**
 * Creates the folders of an engine below `folder`, and returns the environment of its commands.
 * BENCH_PROVIDER: the folder of the provider to use. Default: `bench/provider`, in JavaScript.
 */
function prepareEnvironment(
  name: Engine['name'],
  folder: string,
  extraVariables: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const stateFolder = join(folder, 'state')
  mkdirSync(stateFolder, { recursive: true })
  const providerFolder =
    extraVariables['BENCH_PROVIDER'] ?? join(repositoryRoot, 'bench', 'provider')
  const path = [createNodeFolder(folder), providerFolder, process.env['PATH'] ?? ''].join(delimiter)
  return {
    ...process.env,
    PATH: path,
    ANTICHAIN_USER_PATH: path,
    ANTICHAIN_HOME: join(folder, 'home'),
    PULUMI_HOME: join(folder, 'pulumi-home'),
    // Only Pulumi keeps its state in files. Antichain is measured with its own store.
    ...(name === 'pulumi' ? { PULUMI_BACKEND_URL: `file://${stateFolder}` } : {}),
    PULUMI_CONFIG_PASSPHRASE: 'bench',
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    BENCH_SDK: join(repositoryRoot, 'test', 'fixtures', 'sdk', 'node_modules'),
    ...extraVariables,
  }
}

function createEngine(name: Engine['name'], command: string, version: string): Engine {
  return {
    name,
    version,
    prepareEnvironment: folder => prepareEnvironment(name, folder, {}),
    run: (folder, args, extraVariables = {}) =>
      measureRun(command, args, {
        cwd: folder,
        env: prepareEnvironment(name, folder, extraVariables),
      }),
  }
}

/** Returns Antichain as an engine. */
export function findAntichain(): Engine {
  return createEngine('antichain', join(repositoryRoot, 'cli', 'antichain'), manifest.version)
}

/** Returns Pulumi's command line as an engine. `command`: its name or path. */
export function createPulumi(command: string, version: string): Engine {
  return createEngine('pulumi', command, version)
}

/**
 * Returns the engines to measure. The Pulumi CLI is included if it is on the PATH; otherwise a
 * message is printed.
 */
export function findEngines(): readonly Engine[] {
  const antichain = findAntichain()
  try {
    const version = execFileSync('pulumi', ['version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return [antichain, createPulumi('pulumi', version)]
  } catch {
    console.error(
      'bench: there is no comparison with the Pulumi CLI, because `pulumi` is not on the PATH',
    )
    return [antichain]
  }
}
