/**
 * Measures the cost of commands on AWS. A local cloud runs the bundled functions. This script
 * counts the requests to the emulators, and the function calls with their durations. It starts and
 * stops the emulators, and writes docs/measured/cost.json, or plugin-cost.json with --plugin-mb.
 * The fields of `measuredRunForm` explain the options: delayMs, parallel, executorsMax,
 * quietSeconds and pluginMb. Usage: `node bench/cost.ts [--sizes 1000] [--delay 0] [--parallel 64]
 * [--executors 3] [--quiet 100] [--plugin-mb 200] [--out file]`
 */
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installEmulator } from '../infra/emulators/install-emulator.ts'
import { emulators } from '../infra/emulators/emulators.ts'
import { startEmulators } from '../infra/emulators/start-emulators.ts'
import { readAwsSettings } from '../shared/platform/aws/clients.ts'
import { type CloudBundles, createBundles } from '../test/aws/cloud-bundles.ts'
import { type CountingProxy, startCountingProxy } from '../test/aws/counting-proxy.ts'
import {
  readCommit,
  describeMachine,
  formatBenchCommand,
  formatCurrentDate,
} from './cost/measurement-context.ts'
import type { MeasuredPhase, MeasuredRun } from './cost/measured-forms.ts'
import { measurePhases } from './cost/measure-phases.ts'
import { packLargePlugin } from './cost/pack-large-plugin.ts'
import { repositoryRoot } from './engine.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000' },
    delay: { type: 'string', default: '0' },
    parallel: { type: 'string', default: '64' },
    executors: { type: 'string', default: '3' },
    quiet: { type: 'string', default: '100' },
    'plugin-mb': { type: 'string' },
    out: { type: 'string' },
  },
})
const pluginMb = values['plugin-mb'] === undefined ? undefined : Number(values['plugin-mb'])
const fileName = pluginMb === undefined ? 'cost.json' : 'plugin-cost.json'
const file = values.out ?? join(repositoryRoot, 'docs/measured', fileName)
const report = (line: string): void => console.error(`· ${line}`)

async function main(): Promise<void> {
  const installedEmulators = []
  for (const emulator of emulators) {
    const installedEmulator = await installEmulator(emulator, process.env, report)
    if (installedEmulator.kind === 'missing')
      throw new Error(`${emulator.name} is not installed: ${installedEmulator.reason}`)
    installedEmulators.push(installedEmulator)
  }
  const runningEmulators = await startEmulators(installedEmulators)
  try {
    Object.assign(process.env, runningEmulators.variables)
    await measureOverProxy()
  } finally {
    await runningEmulators.stop()
  }
}

async function measureOverProxy(): Promise<void> {
  const proxy = await startCountingProxy(readAwsSettings(process.env))
  try {
    const bundles = await createBundles()
    try {
      await measureSizes(proxy, bundles)
    } finally {
      bundles.remove()
    }
  } finally {
    await proxy.close()
  }
}

async function measureSizes(proxy: CountingProxy, bundles: CloudBundles): Promise<void> {
  const options = {
    delayMs: Number(values.delay),
    parallel: Number(values.parallel),
    executorsMax: Number(values.executors),
    quietSeconds: Number(values.quiet),
  }
  const run: Omit<MeasuredRun, 'phases' | 'load'> = {
    date: formatCurrentDate(),
    command: formatBenchCommand('cost'),
    repetitions: 1,
    machine: describeMachine(),
    versions: {
      Node: process.versions.node,
      ...Object.fromEntries(emulators.map(({ name, version }) => [name, version])),
    },
    commit: readCommit(),
    ...options,
    ...(pluginMb === undefined ? {} : { pluginMb }),
  }
  const plugin = pluginMb === undefined ? undefined : packLargePlugin(pluginMb)
  const phases: MeasuredPhase[] = []
  // The file is written after each command, because the next one takes long and may fail.
  const savePhase = (phase: MeasuredPhase): void => {
    phases.push(phase)
    const measuredRun: MeasuredRun = { ...run, load: Math.round(loadavg()[2] ?? 0), phases }
    writeFileSync(file, `${JSON.stringify(measuredRun, undefined, 2)}\n`)
  }
  const aws = readAwsSettings(process.env)
  for (const resources of values.sizes.split(',').map(Number))
    await measurePhases({
      ...options,
      aws,
      proxy,
      bundles,
      resources,
      plugin,
      report,
      onMeasured: savePhase,
    })
}

await main()
process.exit(0)
