import { setTimeout as sleep } from 'node:timers/promises'
import { functionsTable } from '../../infra/functions-table.ts'
import { readInstallationSettings } from '../../infra/settings.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import {
  type CloudPlace,
  createCloudPlace,
  type createBundles,
} from '../../test/aws/cloud-place.ts'
import type { CountingProxy } from './counting-proxy.ts'
import type { MeasuredPhase } from './measured-forms.ts'
import { type Counts, costOf, sumOf } from './prices.ts'

/** The options of a measured run. */
export interface PhasesOptions {
  readonly aws: AwsSettings
  readonly proxy: CountingProxy
  readonly bundles: ReturnType<typeof createBundles>
  readonly resources: number
  readonly delayMs: number
  readonly parallel: number
  readonly executorsMax: number
  readonly quietSeconds: number
  readonly report: (line: string) => void
  /** Receives each measured command. */
  readonly onMeasured: (phase: MeasuredPhase) => void
}

/** Timeout of a command. */
const phaseMs = 1_800_000
const phaseTriesMax = 3

/**
 * Creates, keeps, updates, refreshes and destroys resources in a new local cloud. Counts the
 * requests of each command, including its later nudges and calls.
 */
export async function measurePhases(options: PhasesOptions): Promise<void> {
  const { aws, proxy, bundles, resources, delayMs, executorsMax, report } = options
  const place = await createCloudPlace('rounds', {
    aws,
    through: proxy.settings,
    code: bundles.findBundle,
    settings: { 'antichain:executorsMax': String(executorsMax) },
  })
  try {
    const variables = { COUNT: String(resources), DELAY: String(delayMs), CHANGE: 'update' }
    const first = await place.upload({ ...variables, STEP: '1' })
    const second = await place.upload({ ...variables, STEP: '2' })
    const runPhase = async (
      name: MeasuredPhase['name'],
      command: Command,
      program: BlobHash,
    ): Promise<void> => {
      const phase = { name, command, program }
      // A command that changes nothing can be repeated when a busy machine made it fail.
      const triesMax = name === 'no-op' || name === 'refresh' ? phaseTriesMax : 1
      for (let tries = 1; ; tries += 1)
        try {
          options.onMeasured({ ...(await measurePhase(place, options, phase)), tries })
          return
        } catch (thrown) {
          report(String(thrown).slice(0, 2_000))
          if (tries === triesMax) throw thrown
          await waitUntilQuiet(place, options.quietSeconds)
        }
    }
    await runPhase('create', 'up', first)
    await runPhase('no-op', 'up', first)
    await runPhase('update', 'up', second)
    await runPhase('refresh', 'refresh', second)
    await runPhase('destroy', 'destroy', second)
  } finally {
    await place.remove()
  }
}

async function measurePhase(
  place: CloudPlace,
  options: PhasesOptions,
  phase: {
    readonly name: MeasuredPhase['name']
    readonly command: Command
    readonly program: BlobHash
  },
): Promise<Omit<MeasuredPhase, 'tries'>> {
  const { proxy, parallel, resources, report } = options
  const { name, command, program } = phase
  const [before, logBytesBefore] = [place.calls.length, logBytesOf(place)]
  proxy.takeCounts()
  const beganMs = performance.now()
  const key = await place.control.requestDeployment({
    stack: place.stack,
    command,
    program,
    parallel,
  })
  const end = await place.control.awaitEnd(place.stack, key, phaseMs)
  const seconds = (performance.now() - beganMs) / 1000
  if (!('result' in end) || end.result !== 'succeeded') {
    const events = 'deployment' in end ? await place.readDiagnostics(end.deployment) : ''
    throw new Error(`${name} did not succeed: ${JSON.stringify(end)}\n${events}`)
  }
  await waitUntilQuiet(place, options.quietSeconds)
  const calls = place.calls.slice(before)
  const by = new Map<string, number>()
  for (const call of calls)
    by.set(call.name, (by.get(call.name) ?? 0) + (call.ms / 1000) * gbOf(call.name, options.aws))
  const { by: requests, ...taken } = proxy.takeCounts()
  const counts: Counts = sumOf(taken, {
    calls: calls.length,
    coldStarts: calls.filter(({ isCold }) => isCold).length,
    gbSeconds: round([...by.values()].reduce((sum, one) => sum + one, 0)),
    logBytes: logBytesOf(place) - logBytesBefore,
  })
  report(
    `${name} of ${resources}: ${seconds.toFixed(1)} s, $${costOf(counts).toFixed(5)} ${JSON.stringify(counts)}`,
  )
  const gbSecondsBy = Object.fromEntries([...by].map(([of, sum]) => [of, round(sum)]))
  return { name, resources, seconds: round(seconds), counts, gbSecondsBy, requests }
}

const round = (value: number): number => Math.round(value * 10) / 10

/** Returns the memory of a function with default settings, in GB. */
function gbOf(name: string, { region }: AwsSettings): number {
  const settings = readInstallationSettings({ 'antichain:region': region })
  const row = functionsTable.find(one => one.name === name)
  if ('problems' in settings || row === undefined)
    throw new Error(`the function ${name} does not exist`)
  return row.memoryMb(settings) / 1024
}

/** Resolves when no function was called for `seconds`. */
async function waitUntilQuiet(place: CloudPlace, seconds: number): Promise<void> {
  const isBusy = (): boolean =>
    place.cloud.names.some(name => place.cloud.environments(name).some(one => one.isBusy()))
  let [seen, sinceMs] = [place.calls.length, performance.now()]
  while (performance.now() - sinceMs < seconds * 1000) {
    await sleep(200)
    if (place.calls.length === seen && !isBusy()) continue
    seen = place.calls.length
    sinceMs = performance.now()
  }
}

/**
 * Returns the size of the environments' own log output, without the lines that the local cloud
 * adds.
 */
function logBytesOf(place: CloudPlace): number {
  const lines = place.readLog().matchAll(/^\S+ \S+ \[\d+\] {3}(.*)$/gm)
  return [...lines].reduce((sum, [, line = '']) => sum + Buffer.byteLength(line) + 1, 0)
}
