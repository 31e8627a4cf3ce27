import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { functionsTable } from '../../infra/functions-table.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import type { CloudBundles } from '../../test/aws/cloud-bundles.ts'
import { type CloudSandbox, createCloudSandbox } from '../../test/aws/cloud-sandbox.ts'
import type { CountingProxy } from '../../test/aws/counting-proxy.ts'
import { repositoryRoot } from '../engine.ts'
import type { MeasuredPhase } from './measured-forms.ts'
import { type Counts, costOf, addCounts } from '../../test/aws/counts.ts'

/** The options of a measured run. `measuredRunForm` explains `delayMs` and `quietSeconds`. */
export interface PhasesOptions {
  readonly aws: AwsSettings
  readonly proxy: CountingProxy
  readonly bundles: CloudBundles
  readonly resources: number
  readonly delayMs: number
  readonly parallel: number
  readonly executorsMax: number
  readonly quietSeconds: number
  /** The archive of the provider, in the bucket. Absent: all functions have the provider. */
  readonly plugin?: Uint8Array | undefined
  readonly report: (line: string) => void
  /** Receives each measured command. */
  readonly onMeasured: (phase: MeasuredPhase) => void
}

/** Timeout of a command: half an hour. */
const phaseTimeoutMs = 1_800_000
const phaseAttemptsMax = 3
const pathWithoutProvider = [
  join(repositoryRoot, 'node_modules/node/bin'),
  '/usr/bin',
  '/bin',
].join(delimiter)
/** The key of the test provider in the bucket. */
const pluginKey = {
  kind: 'resource',
  name: 'gold',
  version: '1.0.0',
  os: process.platform,
  arch: process.arch,
}

/**
 * Creates resources in a new local cloud, deploys them without changes, and updates, refreshes and
 * destroys them. Counts the requests of each command, including its later nudges and calls.
 */
export async function measurePhases(options: PhasesOptions): Promise<void> {
  const { aws, proxy, bundles, resources, delayMs, executorsMax, plugin, report } = options
  const testCloud = await createCloudSandbox('rounds', {
    aws,
    functionAws: proxy.settings,
    bundleOf: bundles.findBundle,
    settings: { 'antichain:executorsMax': String(executorsMax) },
    // Without the folder of the provider, functions fetch it. With `above`, they are plain
    // processes, which find the modules that the provider loads.
    ...(plugin === undefined ? {} : { sdk: 'above', variables: { PATH: pathWithoutProvider } }),
  })
  try {
    if (plugin !== undefined) await testCloud.control.platform.plugins.put(pluginKey, plugin)
    const variables = { COUNT: String(resources), DELAY: String(delayMs), CHANGE: 'update' }
    const firstProgram = await testCloud.upload({ ...variables, STEP: '1' })
    const secondProgram = await testCloud.upload({ ...variables, STEP: '2' })
    const runPhase = async (
      name: MeasuredPhase['name'],
      command: Command,
      program: BlobHash,
    ): Promise<void> => {
      const phase = { name, command, program }
      // A command that changes nothing can be repeated when a busy machine made it fail.
      const attemptsMax = name === 'no-op' || name === 'refresh' ? phaseAttemptsMax : 1
      for (let tries = 1; ; tries += 1)
        try {
          options.onMeasured({ ...(await measurePhase(testCloud, options, phase)), tries })
          return
        } catch (thrown) {
          report(String(thrown).slice(0, 2_000))
          if (tries === attemptsMax) throw thrown
          await waitUntilQuiet(testCloud, options.quietSeconds)
        }
    }
    await runPhase('create', 'up', firstProgram)
    await runPhase('no-op', 'up', firstProgram)
    await runPhase('update', 'up', secondProgram)
    await runPhase('refresh', 'refresh', secondProgram)
    await runPhase('destroy', 'destroy', secondProgram)
  } finally {
    await testCloud.remove()
  }
}

async function measurePhase(
  testCloud: CloudSandbox,
  options: PhasesOptions,
  phase: {
    readonly name: MeasuredPhase['name']
    readonly command: Command
    readonly program: BlobHash
  },
): Promise<Omit<MeasuredPhase, 'tries'>> {
  const { proxy, parallel, resources, report } = options
  const { name, command, program } = phase
  const [callsBefore, logBytesBefore] = [testCloud.calls.length, logBytesOf(testCloud)]
  proxy.takeCounts()
  const startMs = performance.now()
  const key = await testCloud.control.requestDeployment({
    stack: testCloud.stack,
    command,
    program,
    parallel,
  })
  const end = await testCloud.control.awaitEnd(testCloud.stack, key, phaseTimeoutMs)
  const seconds = (performance.now() - startMs) / 1000
  if (!('result' in end) || end.result !== 'succeeded') {
    const events = 'deployment' in end ? await testCloud.readDiagnostics(end.deployment) : ''
    throw new Error(`${name} did not succeed: ${JSON.stringify(end)}\n${events}`)
  }
  await waitUntilQuiet(testCloud, options.quietSeconds)
  const calls = testCloud.calls.slice(callsBefore)
  const gbSecondsByFunction = new Map<string, number>()
  for (const call of calls)
    gbSecondsByFunction.set(
      call.name,
      (gbSecondsByFunction.get(call.name) ?? 0) +
        (call.durationMs / 1000) * memoryGbOf(call.name, options.aws),
    )
  const { byPurpose: requests, ...proxyCounts } = proxy.takeCounts()
  const counts: Counts = addCounts(proxyCounts, {
    calls: calls.length,
    coldStarts: calls.filter(({ isCold }) => isCold).length,
    gbSeconds: roundToTenth(
      [...gbSecondsByFunction.values()].reduce((sum, gbSeconds) => sum + gbSeconds, 0),
    ),
    logBytes: logBytesOf(testCloud) - logBytesBefore,
  })
  report(
    `${name} of ${resources}: ${seconds.toFixed(1)} s, $${costOf(counts).toFixed(5)} ${JSON.stringify(counts)}`,
  )
  const gbSecondsBy = Object.fromEntries(
    [...gbSecondsByFunction].map(([functionName, sum]) => [functionName, roundToTenth(sum)]),
  )
  return { name, resources, seconds: roundToTenth(seconds), counts, gbSecondsBy, requests }
}

const roundToTenth = (value: number): number => Math.round(value * 10) / 10

/** Returns the memory of a function with default settings, in GB. */
function memoryGbOf(name: string, { region }: AwsSettings): number {
  const settings = readInstallationSettings({ 'antichain:region': region })
  const row = functionsTable.find(candidate => candidate.name === name)
  if ('problems' in settings) throw new Error(settings.problems.join('; '))
  if (row === undefined) throw new Error(`the function ${name} does not exist`)
  return row.memoryMb(settings) / 1024
}

/** Waits until no function has run for `seconds`. */
async function waitUntilQuiet(testCloud: CloudSandbox, seconds: number): Promise<void> {
  const isBusy = (): boolean =>
    testCloud.cloud.functionNames.some(name =>
      testCloud.cloud.listEnvironments(name).some(environment => environment.isBusy()),
    )
  let [callCount, quietSinceMs] = [testCloud.calls.length, performance.now()]
  while (performance.now() - quietSinceMs < seconds * 1000) {
    await sleep(200)
    if (testCloud.calls.length === callCount && !isBusy()) continue
    callCount = testCloud.calls.length
    quietSinceMs = performance.now()
  }
}

/**
 * Returns the size of the log output of all functions in bytes, without the lines and prefixes that
 * the local cloud adds.
 */
function logBytesOf(testCloud: CloudSandbox): number {
  const lines = testCloud.readLog().matchAll(/^\S+ \S+ \[\d+\] {3}(.*)$/gm)
  return [...lines].reduce((sum, [, line = '']) => sum + Buffer.byteLength(line) + 1, 0)
}
