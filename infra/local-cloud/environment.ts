import { randomUUID } from 'node:crypto'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import { type EnvironmentOptions, startEnvironmentProcess } from './environment-process.ts'
import type { IsolatedProcess } from './isolated-process.ts'
import type { SandboxUsage } from './sandbox-processes.ts'
import { type RuntimeReply, startRuntimeApi, type StreamedAnswer } from './runtime-api.ts'

/** The result of a function call. `json` is the value that the function returned, as JSON. */
export type InvocationOutcome =
  | { readonly kind: 'answered'; readonly json: string }
  | { readonly kind: 'failed'; readonly reason: string }
  /** The environment has ended. */
  | { readonly kind: 'died'; readonly reason: string }

/** Receives a streamed response. */
export type OnStreamedAnswer = (answer: StreamedAnswer) => void

/** The options of one call. */
export interface CallOptions {
  /**
   * Receives a streamed response when it begins. The receiver must read or abandon the response.
   * Without a receiver, a streamed response is abandoned immediately.
   */
  readonly onStreamedAnswer?: OnStreamedAnswer | undefined
  /** The trace header for the requests of the function. */
  readonly traceHeader?: string | undefined
  /** The tenant of the call. Calls of different tenants never share an environment. */
  readonly tenant?: string | undefined
}

/** A process that runs a function as Lambda does, one call at a time. */
export interface Environment {
  readonly pid: number
  /** Calls the function. The caller must await the previous call. Never rejects. */
  readonly invoke: (
    event: unknown,
    limitMs: number,
    call?: CallOptions,
  ) => Promise<InvocationOutcome>
  readonly isBusy: () => boolean
  /**
   * Returns the time of the last reply, or of the start if there was no reply. The time is in ms of
   * this process's monotonic clock.
   */
  readonly idleSinceMs: () => number
  /** Kills the environment with its process group. A pending call ends with `reason`. */
  readonly kill: (reason: string) => void
  /** Resolves with the reason when the environment has ended. */
  readonly endReason: Promise<string>
}

/** The state of an environment. */
interface EnvironmentState {
  /** The reason of the end; '' before the end. */
  endReason: string
  isReady: boolean
  hasEnded: boolean
  idleSinceMs: number
  /** The id of the current or last call. */
  callId: string
  /** Ends the current call. */
  endCall?: ((outcome: InvocationOutcome) => void) | undefined
  /** Receives the response of the current call if it is streamed. */
  onStreamedAnswer?: OnStreamedAnswer | undefined
  /** Begins a call that arrived before the environment was ready. */
  beginCall?: (() => void) | undefined
}

function createState(): EnvironmentState {
  const idleSinceMs = performance.now()
  return { endReason: '', isReady: false, hasEnded: false, idleSinceMs, callId: '' }
}

/**
 * Starts an environment. Its process is suspended between calls, so that it does no background
 * work.
 */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const state = createState()
  let signal = (_name: NodeJS.Signals): void => undefined
  const api = await startRuntimeApi({
    onReady: () => {
      state.isReady = true
      const { beginCall } = state
      state.beginCall = undefined
      if (beginCall !== undefined) beginCall()
      else if (state.endCall === undefined) signal('SIGSTOP')
    },
    onReply: reply => endCallWith(state, reply),
    onStreamedAnswer: answer => {
      if (state.onStreamedAnswer === undefined) answer.abandon()
      else state.onStreamedAnswer(answer)
    },
    onInitFailure: reason => void (state.endReason ||= `failed to load: ${reason}`),
  })
  const environmentProcess = startEnvironmentProcess(options, api.address)
  signal = environmentProcess.signal
  const kill = (reason: string): void => {
    state.endReason ||= reason
    signal('SIGKILL')
  }
  const readyTimer = setTimeout(() => {
    if (!state.isReady) kill('was not ready in time')
  }, localCloudLimits.environmentStartMs).unref()
  const endUsageChecks = startUsageChecks(environmentProcess, options.memoryMb, kill)
  const endReason = environmentProcess.endReason.then(exitReason => {
    clearTimeout(readyTimer)
    endUsageChecks()
    state.hasEnded = true
    state.endReason ||= exitReason
    api.close()
    state.endCall?.({ kind: 'died', reason: state.endReason })
    return state.endReason
  })
  const invoke: Environment['invoke'] = (event, limitMs, call = {}) => {
    if (state.hasEnded) return Promise.resolve({ kind: 'died', reason: state.endReason })
    const eventText = JSON.stringify(event)
    if (Buffer.byteLength(eventText) > localCloudLimits.payloadBytesMax)
      return Promise.resolve({ kind: 'failed', reason: eventTooLarge })
    let limitTimer: NodeJS.Timeout | undefined
    // The time limit of a call starts when the environment can begin it.
    const beginCall = (): void => {
      limitTimer = setTimeout(() => kill(`exceeded its time limit of ${limitMs} ms`), limitMs)
      const deadlineMs = Date.now() + limitMs
      signal('SIGCONT')
      state.callId = randomUUID()
      const invocation = { id: state.callId, arn: options.arn, deadlineMs, event: eventText }
      api.invoke({ ...invocation, traceHeader: call.traceHeader ?? '' })
    }
    state.onStreamedAnswer = call.onStreamedAnswer
    return new Promise<InvocationOutcome>(resolve => {
      state.endCall = resolve
      if (state.isReady) beginCall()
      else state.beginCall = beginCall
    }).finally(() => clearTimeout(limitTimer))
  }
  const isBusy = (): boolean => state.endCall !== undefined
  return {
    pid: environmentProcess.pid,
    isBusy,
    idleSinceMs: () => state.idleSinceMs,
    kill,
    endReason,
    invoke,
  }
}

const eventTooLarge = `RequestEntityTooLarge: the event exceeds ${localCloudLimits.payloadBytesMax} bytes`

/**
 * Checks the usage of an environment regularly, and kills it when it exceeds the limits of its
 * function. Returns the function that ends the checks.
 */
function startUsageChecks(
  { measureUsage }: Pick<IsolatedProcess, 'measureUsage'>,
  memoryMb: number,
  kill: (reason: string) => void,
): () => void {
  const timer = setInterval(() => {
    const usage = measureUsage()
    const excess = usage === undefined ? undefined : findExcess(usage, memoryMb)
    if (excess !== undefined) kill(`ran out of ${excess}`)
  }, localCloudLimits.usageCheckMs).unref()
  return () => clearInterval(timer)
}

/**
 * Returns the name of a resource that a sandbox uses above its limit, with the usage and the limit.
 * Undefined: none. Pure.
 */
function findExcess(
  { memoryBytes, descriptors, threads }: SandboxUsage,
  memoryMb: number,
): string | undefined {
  const usedMb = Math.ceil(memoryBytes / 1024 / 1024)
  if (usedMb > memoryMb) return `memory: ${usedMb} MB of ${memoryMb} MB`
  const { descriptorsMax, threadsMax } = localCloudLimits
  if (threads > threadsMax) return `processes and threads: ${threads} of ${threadsMax}`
  if (descriptors > descriptorsMax) return `file descriptors: ${descriptors} of ${descriptorsMax}`
  return undefined
}

function endCallWith(state: EnvironmentState, reply: RuntimeReply): void {
  // A call whose response was abandoned may report its end after the next call has begun.
  if (reply.id !== state.callId) return
  const { endCall } = state
  state.endCall = undefined
  state.idleSinceMs = performance.now()
  if (reply.kind === 'answered') endCall?.({ kind: 'answered', json: reply.json })
  else endCall?.({ kind: 'failed', reason: reply.reason })
}
