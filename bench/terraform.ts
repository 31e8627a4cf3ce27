import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTestProvider } from '../test/tfgolden/build-provider.ts'
import { type Engine, findAntichain, repositoryRoot } from './engine.ts'
import { type RunMeasurement, measureRun } from './measure-run.ts'
import { createNullEngine } from './null-engine.ts'
import { printReport } from './print-report.ts'

/** The peers that run the resources of a Terraform provider. */
export const terraformPeers = ['tofu', 'terraform'] as const
type TerraformPeerName = (typeof terraformPeers)[number]

/** A peer that was found on this machine. */
interface TerraformPeer {
  readonly name: TerraformPeerName
  readonly command: string
  readonly version: string
}

/** One of the compared engines, with a cloud of its own. */
interface Contender {
  readonly name: string
  readonly version: string
  /** The folder in which the test provider stores its objects. */
  readonly cloud: string
  readonly create: () => Promise<RunMeasurement>
  /** Deploys again without changes. */
  readonly repeat: () => Promise<RunMeasurement>
  readonly destroy: () => Promise<RunMeasurement>
}

/** The folders and the provider of one size. */
interface BenchSetup {
  readonly folder: string
  readonly size: number
  /** The path of the test provider's binary. */
  readonly provider: string
  /** Creates a cloud: a folder of objects, below `memoryFolder` if that exists. */
  readonly createCloud: (name: string) => string
}

const memoryFolder = '/dev/shm'
const packageName = 'tfgold'
const providerSource = 'golden.test/golden/tfgold'

/**
 * Measures create, no-op and destroy of resources of the test provider: with Antichain, and with
 * those of `peers` that are found. All run the same binary of the provider,
 * without its log, and take turns. First the null engine creates the same resources: its time is
 * that of program and provider without an engine.
 */
export async function benchTerraform(
  sizes: readonly number[],
  options: { readonly repetitions: number; readonly peers: readonly TerraformPeerName[] },
): Promise<void> {
  for (const size of sizes)
    for (let round = 0; round < options.repetitions; round++)
      for await (const { name, version, phase, run } of runTerraformRound({ size, ...options }))
        printReport({ bench: 'terraform', size, engine: name, version, phase }, [run])
}

/** A measured command of one engine. */
interface TerraformRun {
  readonly name: string
  readonly version: string
  readonly phase: 'create' | 'no-op' | 'destroy'
  readonly run: RunMeasurement
}

/**
 * Measures each command once: first a create with the null engine, then each command with Antichain
 * and with those of `peers` that are found. Throws an error when a command fails, or leaves an
 * unexpected number of objects.
 */
export async function* runTerraformRound({
  size,
  peers,
}: {
  readonly size: number
  readonly peers: readonly TerraformPeerName[]
}): AsyncGenerator<TerraformRun> {
  const provider = join(buildTestProvider(), `terraform-provider-${packageName}`)
  const foundPeers = peers.flatMap(name => findTerraformPeer(name) ?? [])
  const runs = await withBenchSetup({ size, provider }, async bench => {
    const antichain = await createAntichain(bench)
    const contenders = [antichain, ...foundPeers.map(peer => createPeer(bench, peer))]
    const nullRun = await runNullEngine(bench)
    const measuredRuns: TerraformRun[] = [
      { name: 'null engine', version: antichain.version, phase: 'create', run: nullRun },
    ]
    for (const phase of ['create', 'no-op', 'destroy'] as const)
      for (const contender of contenders) {
        const { name, version } = contender
        const run = await (phase === 'no-op' ? contender.repeat : contender[phase])()
        const count = readdirSync(join(contender.cloud, 'objects')).length
        const expected = phase === 'destroy' ? 0 : size
        if (run.exitCode !== 0 || count !== expected)
          throw new Error(`${name} ${phase}: exit ${run.exitCode}, ${count} objects`)
        measuredRuns.push({ name, version, phase, run })
      }
    return measuredRuns
  })
  yield* runs
}

async function withBenchSetup<T>(
  { size, provider }: Pick<BenchSetup, 'size' | 'provider'>,
  use: (bench: BenchSetup) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-bench-terraform-'))
  const clouds = mkdtempSync(
    join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), 'antichain-bench-clouds-'),
  )
  const createCloud = (name: string): string => {
    const cloud = join(clouds, name)
    mkdirSync(join(cloud, 'objects'), { recursive: true })
    return cloud
  }
  try {
    return await use({ folder, size, provider, createCloud })
  } finally {
    for (const path of [folder, clouds]) rmSync(path, { recursive: true, force: true })
  }
}

/** The program: N resources whose id is in their configuration. */
const programText = `const pulumi = require('@pulumi/pulumi')
const parameter = JSON.stringify({ local: { path: process.env.PROVIDER } })
const reference = pulumi.runtime.registerPackage({
  baseProviderName: 'terraform-provider', baseProviderVersion: '1.1.3', baseProviderDownloadUrl: '',
  packageName: '${packageName}', packageVersion: '0.0.0',
  base64Parameter: Buffer.from(parameter).toString('base64'),
})
class Item extends pulumi.CustomResource {
  constructor(name, props) {
    super('${packageName}:index/keyed:Keyed', name, props, {}, false, reference)
  }
}
for (let n = 0; n < Number(process.env.N); n++)
  new Item('item-' + n, { keyedId: 'item-' + n, name: 'item-' + n, value: 'x'.repeat(100) })
`

function createProgram(bench: BenchSetup, name: string): string {
  const folder = join(bench.folder, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'Pulumi.yaml'), 'name: bench\nruntime: nodejs\n')
  writeFileSync(join(folder, 'package.json'), '{"name":"bench","private":true}\n')
  writeFileSync(join(folder, 'index.js'), programText)
  const modules = join(repositoryRoot, 'test', 'fixtures', 'sdk', 'node_modules')
  symlinkSync(modules, join(folder, 'node_modules'))
  return folder
}

const variablesOf = (bench: BenchSetup, cloud: string): NodeJS.ProcessEnv => ({
  N: String(bench.size),
  PROVIDER: bench.provider,
  TFGOLD_CLOUD: cloud,
})

async function runNullEngine(bench: BenchSetup): Promise<RunMeasurement> {
  const cloud = bench.createCloud('null')
  const options = { project: 'bench', pkg: packageName, config: {}, creates: true }
  const run = await createNullEngine(findAntichain(), createProgram(bench, 'null'), options)
  return run(variablesOf(bench, cloud))
}

async function createAntichain(bench: BenchSetup): Promise<Contender> {
  const engine: Engine = findAntichain()
  const folder = createProgram(bench, 'antichain')
  const cloud = bench.createCloud('antichain')
  const run = (args: readonly string[]): Promise<RunMeasurement> =>
    engine.run(folder, [...args, '--stack', 'bench'], variablesOf(bench, cloud))
  await engine.run(folder, ['stack', 'init', 'bench'])
  const up = ['up', '--yes', '--skip-preview']
  return {
    name: engine.name,
    version: engine.version,
    cloud,
    create: () => run(up),
    repeat: () => run(up),
    destroy: () => run(['destroy', '--yes', '--skip-preview']),
  }
}

/** Creates the contender for a peer, which does not refresh, because Antichain does not either. */
function createPeer(bench: BenchSetup, { name, command, version }: TerraformPeer): Contender {
  const folder = join(bench.folder, name)
  mkdirSync(folder)
  const providerFolder = join(bench.provider, '..')
  const settings = join(folder, 'settings.tfrc')
  writeFileSync(
    settings,
    `provider_installation {\n  dev_overrides {\n    "${providerSource}" = "${providerFolder}"\n  }\n}\n`,
  )
  writeFileSync(join(folder, 'main.tf'), configurationOf(bench.size))
  const cloud = bench.createCloud(name)
  const env = {
    ...process.env,
    TF_CLI_CONFIG_FILE: settings,
    TF_IN_AUTOMATION: '1',
    CHECKPOINT_DISABLE: '1',
    TFGOLD_CLOUD: cloud,
  }
  const apply = (...args: readonly string[]): Promise<RunMeasurement> => {
    const common = ['apply', '-auto-approve', '-input=false', '-refresh=false', '-no-color']
    return measureRun(command, [...common, ...args], { cwd: folder, env })
  }
  return {
    name,
    version,
    cloud,
    create: () => apply(),
    repeat: () => apply(),
    destroy: () => apply('-destroy'),
  }
}

const configurationOf = (size: number): string => `terraform {
  required_providers {
    ${packageName} = { source = "${providerSource}" }
  }
}
resource "${packageName}_keyed" "item" {
  count = ${size}
  id    = "item-\${count.index}"
  name  = "item-\${count.index}"
  value = "${'x'.repeat(100)}"
}
`

/**
 * Finds a peer in its folder of `.cache`, one folder for each version, or on the PATH. Prints a
 * message if there is none.
 */
export function findTerraformPeer(name: TerraformPeerName): TerraformPeer | undefined {
  const cache = join(repositoryRoot, '.cache', name)
  const versions = existsSync(cache) ? readdirSync(cache) : []
  const commands = [...versions.map(version => join(cache, version, name)), name]
  for (const command of commands)
    try {
      // A missing settings file adds a warning to the JSON.
      const env = { ...process.env, TF_CLI_CONFIG_FILE: devNull }
      const output = execFileSync(command, ['version', '-json'], { encoding: 'utf8', env })
      const { terraform_version: version } = JSON.parse(output) as { terraform_version: string }
      return { name, command, version }
    } catch {
      // The loop tries the next command.
    }
  console.error(`bench: no comparison, because \`${name}\` is neither in .cache nor on the PATH`)
  return undefined
}
