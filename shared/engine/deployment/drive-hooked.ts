import { limits } from '../../config/limits.ts'
import type { ChainQueuePort } from '../../ports/queue.ts'
import type { OperationsPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { OutcomeError } from '../../records/head.ts'
import { scrubber, secretTexts } from '../../values/scrub.ts'
import { tellBegin } from '../events/replaces.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import {
  type HookMoment,
  hooksOf,
  type HookType,
  momentOf,
  type ProgramHooks,
  type StepHooks,
} from '../hooks.ts'
import type { Step } from '../step.ts'
import { failed, type StepEnd } from '../step-end.ts'
import { chainMessages } from './chain-messages.ts'
import type { EndWatcher, RecordedEnd } from './end-watcher.ts'
import type { Hooked } from './hook-operations.ts'
import type { LogWriter } from './log-writer.ts'
import type { Recorded } from './recorded.ts'
import { stepEndOf } from './recorded-end.ts'
import type { Sealing } from './sealing.ts'

/** What running hooks around calls needs. */
export interface HookDeps {
  readonly deployment: DeploymentId
  readonly writer: LogWriter
  readonly operations: OperationsPort
  readonly chains: ChainQueuePort
  readonly watcher: EndWatcher
  readonly sealing: Sealing
  readonly emitter: StepEmitter
  readonly recorded: Recorded | undefined
  readonly nextId: () => OperationId
  readonly hooks: ProgramHooks
  /** Notes the arrivals of an operation that the generator ended, and sends what they set free. */
  readonly release: (operation: Operation, verdict: 'succeeded' | 'failed') => Promise<void>
  /** Something failed after its step was done; whether the deployment goes on all the same. */
  readonly afterFailed: () => 'goes on' | 'ends'
}

/** How a call with hooks ended. */
export interface HookedEnd {
  readonly end: StepEnd
  /** The last try of the call, whose state counts. */
  readonly operation: Operation
  /** Its end; absent when it was never made. */
  readonly recorded?: RecordedEnd
}

/**
 * Runs the hooks before a call that may begin, awaits the call, asks error hooks whether a failed
 * one is to be made again, and runs the hooks after it. What was recorded is not run again. Tells
 * of the step itself. Source: docs/spec/step-execution.md#step-kinds,
 * docs/spec/step-execution.md#hooks.
 */
export function driveHooked(deps: HookDeps, hooked: Hooked): Promise<HookedEnd> {
  return deps.hooks.track(drive(deps, hooked))
}

async function drive(deps: HookDeps, hooked: Hooked): Promise<HookedEnd> {
  const { call, before, after } = hooked
  const { step } = call
  const hooks = step === undefined ? undefined : hooksOf(step)
  if (step === undefined || hooks === undefined) throw new TypeError('a hooked call has hooks')
  tellBegin(deps.emitter, step)
  const refused = before === undefined ? undefined : await runBefore(deps, { step, hooks, before })
  if (refused !== undefined) {
    const end = failed({ message: refused, status: 'ok' })
    await endHook(deps, after, { hook: hooks.after, verdict: 'failed' })
    tell(deps, step, end)
    return { end, operation: call.operation }
  }
  const made = await callAgainAndAgain(deps, { step, hooks, after, call: call.operation })
  await runAfter(deps, { step, hooks, after, end: made.end })
  tell(deps, step, made.end)
  return made
}

function tell({ emitter }: HookDeps, step: Step, end: StepEnd): void {
  for (const view of end.views ?? []) emitter.pre(view.step)
  emitter.ended(step, end)
  emitter.count(step, end)
}

/** What stands around one call. */
interface Around {
  readonly step: Step
  readonly hooks: StepHooks
}

/** Why the call may not be made; undefined when it may. */
async function runBefore(
  deps: HookDeps,
  { step, hooks, before }: Around & { readonly before: Operation },
): Promise<string | undefined> {
  const known = deps.recorded?.hooked(before.id)
  const hook = hooks.before
  const error = known === undefined ? await run(deps, { step, hooks, hook }) : known.error
  const verdict = error === undefined ? 'succeeded' : 'failed'
  await endHook(deps, before, { hook, verdict, error })
  return error
}

async function runAfter(
  deps: HookDeps,
  about: Around & { readonly after: Operation; readonly end: StepEnd },
): Promise<void> {
  const { step, hooks, after, end } = about
  const { after: hook } = hooks
  if (end.verdict !== 'succeeded') return endHook(deps, after, { hook, verdict: 'failed' })
  const known = deps.recorded?.hooked(after.id)
  const made = end.state
  const error = known === undefined ? await run(deps, { step, hooks, hook, made }) : known.error
  if (error === undefined) return endHook(deps, after, { hook, verdict: 'succeeded' })
  deps.emitter.diagnostic('error', error, step.urn)
  const goesOn = deps.afterFailed() === 'goes on'
  // Nobody is released by the step of a deployment that ends with it.
  return endHook(deps, after, { hook, verdict: goesOn ? 'succeeded' : 'failed', error })
}

/**
 * Runs the hooks of one moment; answers why one failed. `made`: the state that came of the step.
 */
function run(
  deps: HookDeps,
  about: Around & { readonly hook: HookType; readonly made?: StepEnd['state'] },
): Promise<string | undefined> {
  const { step, hooks, hook, made } = about
  return runHook(deps, momentOf(step, hooks, { hook, isPreview: false, made }))
}

/** Runs the hooks of one moment, telling what is passed over; answers why one failed. */
export async function runHook(
  { hooks, emitter }: Pick<HookDeps, 'hooks' | 'emitter'>,
  moment: HookMoment,
): Promise<string | undefined> {
  if (moment.names.length === 0) return undefined
  const { error, warnings } = await hooks.run(moment)
  const scrub = scrubberFor(moment)
  for (const warning of warnings) emitter.diagnostic('warning', scrub(warning), moment.urn)
  return error === undefined ? undefined : scrub(error)
}

/** The call up to the end that stands: again, as another operation, while an error hook says so. */
async function callAgainAndAgain(
  deps: HookDeps,
  about: Around & { readonly after: Operation; readonly call: Operation },
): Promise<HookedEnd> {
  const errors: string[] = []
  for (let operation = about.call; ; ) {
    const recorded = await deps.watcher.wait(operation.id)
    const end = stepEndOf(recorded, deps.sealing)
    if (!isFailedCall(end)) return { end, operation, recorded }
    errors.unshift(end.error.message)
    const next = await askedAgain(deps, { ...about, operation, errors })
    if (typeof next === 'string')
      return { end: { ...end, error: { ...end.error, message: next } }, operation, recorded }
    if (next === undefined) return { end, operation, recorded }
    operation = next
  }
}

/** Whether the provider said that a call failed: of what nobody knows, nobody is asked. */
function isFailedCall(end: StepEnd): end is StepEnd & { readonly error: OutcomeError } {
  if (end.error === undefined) return false
  return end.verdict === 'partial' || (end.verdict === 'failed' && end.error.code !== undefined)
}

/** The operation that makes a failed call again, what the error is instead, or neither. */
async function askedAgain(
  deps: HookDeps,
  about: Around & {
    readonly after: Operation
    readonly operation: Operation
    readonly errors: readonly string[]
  },
): Promise<Operation | string | undefined> {
  const { step, hooks, after, operation, errors } = about
  const known = deps.recorded?.retried(operation.id)
  if (known !== undefined) {
    await send(deps, known)
    return known
  }
  const warn = (message: string): void => deps.emitter.diagnostic('warning', message, step.urn)
  const most = limits.errorHookTriesMax
  if (errors.length >= most) {
    warn(`maximum number of error hook retries (${most}) reached`)
    return `maximum number of error hook retries reached`
  }
  const answered = deps.recorded?.hooked(after.id)
  if (answered !== undefined) return answered.error
  const moment = momentOf(step, hooks, { hook: 'OnError', isPreview: false })
  const failed_ = { operation: hooks.operation, errors }
  const { retry, error } = await deps.hooks.askRetry(moment, failed_)
  if (error !== undefined) return scrubberFor(moment)(`error hooks execution failed: ${error}`)
  if (!retry) return undefined
  warn(`retrying ${hooks.operation} due to on-error hook request (${errors.length}/${most})`)
  const again = { ...operation, id: deps.nextId(), needs: 0 }
  await deps.writer.append({ kind: 'retried', of: operation.id, operation: again })
  await send(deps, again)
  return again
}

/** Sent again where it runs or has ended, it is dropped by whoever takes it. */
async function send({ chains, deployment }: HookDeps, operation: Operation): Promise<void> {
  await chains.send(chainMessages(deployment, [operation]))
}

/**
 * Ends a hook: in the log first, so that nobody who was deposed ends one; then on its head, for
 * sweeps; then for those that wait for it. May be repeated.
 */
async function endHook(
  deps: HookDeps,
  operation: Operation,
  end: {
    readonly hook: HookType
    readonly verdict: 'succeeded' | 'failed'
    readonly error?: string | undefined
  },
): Promise<void> {
  const { id, urn } = operation
  const { hook, verdict, error } = end
  if (deps.recorded?.hooked(id) === undefined)
    await deps.writer.append({
      kind: 'hooked',
      urn,
      hook,
      operation: id,
      verdict,
      ...(error === undefined ? {} : { error }),
    })
  await deps.operations.select(deps.deployment, id, { owner: '', attempt: 0, verdict })
  await deps.release(operation, verdict)
}

/** A hook may repeat what it was told: no secret gets into a record or event that way (I8). */
function scrubberFor({ next, old }: HookMoment): (text: string) => string {
  return scrubber(secretTexts(next?.inputs, next?.outputs, old?.inputs, old?.outputs))
}
