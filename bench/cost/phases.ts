import { setTimeout as sleep } from 'node:timers/promises'
import { functionsTable } from '../../infra/functions-table.ts'
import { readSettings } from '../../infra/settings.ts'
import type { AwsSettings } from '../../shared/platform/aws/clients.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import type { Command } from '../../shared/records/log.ts'
import {
  type CloudPlace,
  createCloudPlace,
  type createBundles,
} from '../../test/aws/cloud-place.ts'
import type { CountingProxy } from './counting-proxy.ts'
import type { MeasuredPhase } from './measured.ts'
import { type Counts, costOf, sumOf } from './prices.ts'

/** What is measured, and where. */
export interface PhasesAbout {
  readonly aws: AwsSettings
  readonly proxy: CountingProxy
  readonly bundles: ReturnType<typeof createBundles>
  readonly resources: number
  readonly delayMs: number
  readonly parallel: number
  readonly executorsMax: number
  readonly quietSeconds: number
  readonly say: (line: string) => void
  /** Gets each command that is over. */
  readonly measured: (phase: MeasuredPhase) => void
}

/** A command that takes longer is given up. */
const phaseMs = 1_800_000
const phaseTriesMax = 3

/**
 * Creates, leaves, updates, refreshes and destroys resources in a new local cloud, and counts what
 * each command asked for, with what it left behind: nudges and calls that come later.
 */
export async function measurePhases(about: PhasesAbout): Promise<void> {
  const { aws, proxy, bundles, resources, delayMs, executorsMax, say } = about
  const place = await createCloudPlace('rounds', {
    aws,
    through: proxy.settings,
    code: bundles.code,
    settings: { 'antichain:executorsMax': String(executorsMax) },
  })
  try {
    const variables = { COUNT: String(resources), DELAY: String(delayMs), CHANGE: 'update' }
    const first = await place.upload({ ...variables, STEP: '1' })
    const second = await place.upload({ ...variables, STEP: '2' })
    const run = async (
      name: MeasuredPhase['name'],
      command: Command,
      program: BlobHash,
    ): Promise<void> => {
      const asked = { name, command, program }
      // What changes nothing can be done again, where a busy machine made it fail.
      const triesMax = name === 'no-op' || name === 'refresh' ? phaseTriesMax : 1
      for (let tries = 1; ; tries += 1)
        try {
          about.measured({ ...(await measurePhase(place, about, asked)), tries })
          return
        } catch (thrown) {
          say(String(thrown).slice(0, 2_000))
          if (tries === triesMax) throw thrown
          await quiet(place, about.quietSeconds)
        }
    }
    await run('create', 'up', first)
    await run('no-op', 'up', first)
    await run('update', 'up', second)
    await run('refresh', 'refresh', second)
    await run('destroy', 'destroy', second)
  } finally {
    await place.remove()
  }
}

async function measurePhase(
  place: CloudPlace,
  about: PhasesAbout,
  asked: {
    readonly name: MeasuredPhase['name']
    readonly command: Command
    readonly program: BlobHash
  },
): Promise<Omit<MeasuredPhase, 'tries'>> {
  const { proxy, parallel, resources, say } = about
  const { name, command, program } = asked
  const [before, saidBefore] = [place.calls.length, logBytesOf(place)]
  proxy.taken()
  const beganMs = performance.now()
  const key = await place.desk.ask({ stack: place.stack, command, program, parallel })
  const end = await place.desk.over(place.stack, key, phaseMs)
  const seconds = (performance.now() - beganMs) / 1000
  if (!('result' in end) || end.result !== 'succeeded') {
    const told = 'deployment' in end ? await place.told(end.deployment) : ''
    throw new Error(`${name} did not succeed: ${JSON.stringify(end)}\n${told}`)
  }
  await quiet(place, about.quietSeconds)
  const calls = place.calls.slice(before)
  const by = new Map<string, number>()
  for (const call of calls)
    by.set(call.name, (by.get(call.name) ?? 0) + (call.ms / 1000) * gbOf(call.name, about.aws))
  const { by: requests, ...taken } = proxy.taken()
  const counts: Counts = sumOf(taken, {
    calls: calls.length,
    coldStarts: calls.filter(({ isCold }) => isCold).length,
    gbSeconds: rounded([...by.values()].reduce((sum, one) => sum + one, 0)),
    logBytes: logBytesOf(place) - saidBefore,
  })
  say(
    `${name} of ${resources}: ${seconds.toFixed(1)} s, $${costOf(counts).toFixed(5)} ${JSON.stringify(counts)}`,
  )
  const gbSecondsBy = Object.fromEntries([...by].map(([of, sum]) => [of, rounded(sum)]))
  return { name, resources, seconds: rounded(seconds), counts, gbSecondsBy, requests }
}

const rounded = (value: number): number => Math.round(value * 10) / 10

/** Memory of a function as an installation with the usual settings has it. */
function gbOf(name: string, { region }: AwsSettings): number {
  const settings = readSettings({ 'antichain:region': region })
  const row = functionsTable.find(one => one.name === name)
  if ('problems' in settings || row === undefined) throw new Error(`there is no function ${name}`)
  return row.memoryMb(settings) / 1024
}

/** Resolves once no function was called for so long. */
async function quiet(place: CloudPlace, seconds: number): Promise<void> {
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

/** What the environments have written, without what is told of them. */
function logBytesOf(place: CloudPlace): number {
  const lines = place.said().matchAll(/^\S+ \S+ \[\d+\] {3}(.*)$/gm)
  return [...lines].reduce((sum, [, line = '']) => sum + Buffer.byteLength(line) + 1, 0)
}
