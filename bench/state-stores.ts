/**
 * Measures Pulumi's own command line with several stores of states: `antichain serve`, a folder,
 * and another service if BENCH_PEER_URL and BENCH_PEER_TOKEN are set. BENCH_PEER_NAME is the name
 * of this service in the output. The client creates and destroys resources of a provider that does
 * nothing, with a text of `--bytes` each.
 * `--client` is a version of the command line that the tests build, and `--without` omits a store.
 * Prints one JSON line per phase, with the processor time of our server. Usage:
 * `node bench/state-stores.ts [--sizes 600] [--bytes 16384] [--parallel 16] [--repetitions 1]
 * [--client 3.274.1] [--without folder]`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildPulumiCli, cliVersions } from '../test/pulumi-cli/build-cli.ts'
import { repositoryRoot } from './engine.ts'
import { measureRun, type RunMeasurement } from './measure-run.ts'
import { printReport } from './print-report.ts'
import { writeProgram } from './workload.ts'

/** A store of states for Pulumi's command line. */
interface StateStore {
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
  /** The process of the server, if it is ours. */
  readonly pid?: number
}

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '600' },
    bytes: { type: 'string', default: '16384' },
    repetitions: { type: 'string', default: '1' },
    without: { type: 'string', default: '' },
    parallel: { type: 'string', default: '16' },
    client: { type: 'string', default: cliVersions[0] },
  },
})
const version = cliVersions.find(known => known === values.client)
if (version === undefined) throw new Error(`--client is none of ${cliVersions.join(', ')}`)
const cli = buildPulumiCli(version)
const root = mkdtempSync(join(tmpdir(), 'antichain-bench-stores-'))
const launcher = join(repositoryRoot, 'cli', 'antichain')
const serverEnv = { ...process.env, ANTICHAIN_HOME: join(root, 'home') }

const server = spawn(launcher, ['serve', '--port', '0'], { env: serverEnv, cwd: root })
try {
  const stores = [await openServerStore(server), createFolderStore(), ...listPeerStores()]
  for (const size of values.sizes.split(',').map(Number))
    await measureSize(
      stores.filter(({ name }) => name !== values.without),
      size,
    )
} finally {
  server.kill('SIGTERM')
  rmSync(root, { recursive: true, force: true })
}

/** Measures all stores in turn with one number of resources. */
async function measureSize(stores: readonly StateStore[], size: number): Promise<void> {
  const results = new Map<string, RunMeasurement[]>()
  for (let round = 0; round < Number(values.repetitions); round++)
    for (const store of stores)
      for (const [phase, run] of await measureStore(store, { size, round })) {
        const key = JSON.stringify({ store: store.name, phase })
        results.set(key, [...(results.get(key) ?? []), run])
      }
  for (const [key, runs] of results)
    printReport({ bench: 'state-stores', cli: version, size, ...JSON.parse(key) }, runs)
}

/** Creates and destroys a stack, and returns the measurements by phase. */
async function measureStore(
  store: StateStore,
  { size, round }: { readonly size: number; readonly round: number },
): Promise<readonly (readonly [string, RunMeasurement])[]> {
  const folder = join(root, `${store.name}-${size}-${round}`)
  mkdirSync(folder)
  writeProgram('flat', folder)
  const env = createEnvironment(store, { size, folder })
  const run = async (...args: readonly string[]): Promise<RunMeasurement> => {
    const secondsBefore = readCpuSeconds(store.pid)
    const measurement = await measureRun(cli, ['--non-interactive', ...args], { cwd: folder, env })
    const serverSeconds = Math.round((readCpuSeconds(store.pid) - secondsBefore) * 100) / 100
    return { ...measurement, cpuSeconds: { ...measurement.cpuSeconds, server: serverSeconds } }
  }
  const stack = `bench-${size}-${round}`
  await run('stack', 'init', stack)
  const options = ['--yes', '--skip-preview', '--suppress-outputs', '-p', values.parallel]
  const created = await run('up', ...options, '-s', stack)
  const destroyed = await run('destroy', ...options, '-s', stack)
  await run('stack', 'rm', '--yes', stack)
  return [
    ['create', created],
    ['destroy', destroyed],
  ]
}

function createEnvironment(
  store: StateStore,
  { size, folder }: { readonly size: number; readonly folder: string },
): NodeJS.ProcessEnv {
  const folders = [
    join(repositoryRoot, 'node_modules', 'node', 'bin'),
    join(repositoryRoot, 'test', 'pulumi-cli', 'hosts'),
    join(repositoryRoot, 'bench', 'provider'),
  ]
  const pulumiHome = join(folder, '.pulumi-home')
  return {
    ...process.env,
    PATH: [...folders, process.env['PATH'] ?? ''].join(delimiter),
    PULUMI_HOME: pulumiHome,
    HOME: pulumiHome,
    PULUMI_SKIP_UPDATE_CHECK: 'true',
    BENCH_SDK: join(repositoryRoot, 'test', 'fixtures', 'sdk', 'node_modules'),
    N: String(size),
    BYTES: values.bytes,
    // With these variables, which AI agents set, the client asks a person to log in.
    AI_AGENT: undefined,
    CLAUDECODE: undefined,
    ...store.variables,
  }
}

/** Waits for the address of the server, and returns the server as a store with a new token. */
async function openServerStore(child: ChildProcess): Promise<StateStore> {
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    const read = (chunk: Buffer): void => {
      output += chunk.toString()
      const address = /The API is at (http:\S+\d)/.exec(output)?.[1]
      if (address !== undefined) resolve(address)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.on('exit', () => reject(new Error(`the server ended: ${output}`)))
  })
  const args = ['token', 'create', '--admin']
  const token = execFileSync(launcher, args, { env: serverEnv, cwd: root, encoding: 'utf8' }).trim()
  return {
    name: 'antichain',
    variables: { PULUMI_BACKEND_URL: url, PULUMI_ACCESS_TOKEN: token },
    ...(child.pid === undefined ? {} : { pid: child.pid }),
  }
}

/** Creates a folder of states, and returns it as a store. */
function createFolderStore(): StateStore {
  const folder = join(root, 'states')
  mkdirSync(folder)
  const variables = { PULUMI_BACKEND_URL: `file://${folder}`, PULUMI_CONFIG_PASSPHRASE: 'bench' }
  return { name: 'folder', variables }
}

/** Returns the other service as a store, or none if the environment does not name one. */
function listPeerStores(): readonly StateStore[] {
  const { BENCH_PEER_URL: url, BENCH_PEER_TOKEN: token, BENCH_PEER_NAME: name } = process.env
  if (url === undefined || token === undefined) return []
  return [
    {
      name: name ?? 'peer',
      variables: { PULUMI_BACKEND_URL: url, PULUMI_ACCESS_TOKEN: token },
    },
  ]
}

/** Returns the processor time of a process, in seconds. Linux counts 100 ticks per second. */
function readCpuSeconds(pid: number | undefined): number {
  if (pid === undefined) return 0
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // After the name of the process, these are the fields `utime` and `stime`.
  return (Number(fields[11]) + Number(fields[12])) / 100
}
