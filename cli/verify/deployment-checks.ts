import * as z from 'zod'
import { createError } from '../../shared/errors/error.ts'
import { listAllItems } from '../remote/api-pages.ts'
import { formatElapsed } from '../display/format-elapsed.ts'
import type { EnginePort } from '../../local/engine-port.ts'
import type { CheckOutcome } from './check-report.ts'
import type { CheckStack, CheckStacks } from './check-stacks.ts'

/** The dependencies of the checks that deploy programs. */
export interface DeploymentCheckDeps {
  readonly engine: EnginePort
  readonly stacks: CheckStacks
}

/** Checks that each resource is created after the resource that it depends on. */
export async function checkChain({ engine, stacks }: DeploymentCheckDeps): Promise<CheckOutcome> {
  const stack = await stacks.create('chain', { count: 3, delayMs: 200 })
  await stack.up()
  const names = await readLinkNames(engine, stack)
  if (names.join() !== 'link-1,link-2,link-3')
    throw createError('DEPLOYMENT_FAILED', `the state has ${names.join(', ') || 'no resource'}`)
  const message = `The state has ${names.join(', ')}, in the order of their dependencies.`
  return { result: 'passed', message }
}

/** Checks that the deployments of two stacks run at the same time. */
export async function checkTwoStacks({
  engine,
  stacks,
}: DeploymentCheckDeps): Promise<CheckOutcome> {
  const settings = { count: 3, delayMs: 5_000 }
  const pair = [await stacks.create('left', settings), await stacks.create('right', settings)]
  // A failure is reported when both have ended, so that the clean-up finds no running deployment.
  const ends = await Promise.allSettled(pair.map(({ up }) => up()))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  const spans = await Promise.all(pair.map(stack => readSpan(engine, stack)))
  const overlapMs = overlapMsOf(spans)
  if (overlapMs <= 0)
    throw createError('DEPLOYMENT_FAILED', 'one deployment began after the end of the other one')
  const [left = '', right = ''] = spans.map(({ startMs, endMs }) => formatElapsed(endMs - startMs))
  const message = `Deployments of ${left} and ${right} ran ${formatElapsed(overlapMs)} at the same time.`
  return { result: 'passed', message }
}

/** The times of a deployment, in ms since 1970. */
interface Span {
  readonly startMs: number
  readonly endMs: number
}

/** Returns the time that all spans have in common, in ms. Negative if they do not overlap. */
export function overlapMsOf(spans: readonly Span[]): number {
  const endMs = Math.min(...spans.map(span => span.endMs))
  return endMs - Math.max(...spans.map(span => span.startMs))
}

/**
 * The duration of a create. It exceeds `parkAfterMs`, after which a waiting generator run parks.
 */
const parkDelayMs = 50_000

/** Checks whether a generator run parks during a long create, and another one continues. */
export async function checkPark({ engine, stacks }: DeploymentCheckDeps): Promise<CheckOutcome> {
  // Without `createLimit`, the generator would run the creates itself, and could not park.
  const settings = { count: 2, delayMs: parkDelayMs, createLimit: '2m' }
  const stack = await stacks.create('park', settings)
  await stack.up()
  const runs = await countGeneratorRuns(engine, stack)
  const creates = `two creates took ${formatElapsed(parkDelayMs)} each`
  return runs > 1
    ? { result: 'passed', message: `${runs} generator runs shared a deployment: ${creates}.` }
    : { result: 'not-seen', message: `One generator run did not park, although ${creates}.` }
}

/** Checks an operation whose time limit exceeds that of a function. */
export async function checkLongTimeout({
  engine,
  stacks,
}: DeploymentCheckDeps): Promise<CheckOutcome> {
  const settings = { count: 1, delayMs: 5_000, createLimit: '20m' }
  const stack = await stacks.create('long-call', settings)
  await stack.up()
  const { startMs, endMs } = await readSpan(engine, stack)
  const elapsed = formatElapsed(endMs - startMs)
  const message = `A create with a limit of 20 minutes succeeded; the deployment took ${elapsed}.`
  return { result: 'passed', message }
}

/** Returns the names of the program's resources, in the order of the state. */
async function readLinkNames(engine: EnginePort, { id }: CheckStack): Promise<readonly string[]> {
  const state = await engine.exportState(id)
  const names = (state?.resources ?? []).map(({ urn }) => urn.split('::').at(-1) ?? '')
  return names.filter(name => name.startsWith('link-'))
}

/** Returns the times of a stack's last deployment. Throws DEPLOYMENT_FAILED if it has no end. */
async function readSpan({ platform }: EnginePort, { id }: CheckStack): Promise<Span> {
  const [record] = await platform.catalog.listHistory(id, 1)
  if (record?.endedAt === undefined)
    throw createError('DEPLOYMENT_FAILED', 'the history has no end of the deployment')
  return { startMs: record.startedAt, endMs: record.endedAt }
}

const journalRecordForm = z.object({
  decisions: z.array(z.looseObject({ kind: z.string() })).default([]),
})

/** Counts the generator runs of a stack's first deployment. Each run begins with a take-over. */
async function countGeneratorRuns(engine: EnginePort, { path }: CheckStack): Promise<number> {
  const records = await listAllItems(engine, `${path}/deployments/1/journal`, journalRecordForm)
  return records.flatMap(({ decisions }) => decisions).filter(({ kind }) => kind === 'takeover')
    .length
}
