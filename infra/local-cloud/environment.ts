import { randomUUID } from 'node:crypto'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { type EnvironmentOptions, startEnvironmentProcess } from './environment-process.ts'
import { type RuntimeReply, startRuntimeApi, type StreamedAnswer } from './runtime-api.ts'

/** The outcome of a function call. `json`: its result. */
export type InvocationOutcome =
  | { readonly kind: 'answered'; readonly json: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** The environment has ended. */
  | { readonly kind: 'died'; readonly why: string }

/** Receives a streamed response. */
export type OnStreamedAnswer = (answer: StreamedAnswer) => void

/** A process that runs a function as Lambda does, one call at a time. */
export interface Environment {
  readonly pid: number
  /**
   * Calls the function, one call at a time. Never rejects. A streamed response is passed to
   * `streamed` as it begins, which must read or abandon it. Without a receiver it is abandoned at
   * once.
   */
  readonly invoke: (
    event: unknown,
    limitMs: number,
    streamed?: OnStreamedAnswer,
  ) => Promise<InvocationOutcome>
  readonly isBusy: () => boolean
  /** Returns the time since which it is idle, in ms of the process's clock. */
  readonly idleSince: () => number
  /** Kills it with its process group. A pending call ends with `why`. */
  readonly kill: (why: string) => void
  /** Resolves with the reason when it has ended. */
  readonly gone: Promise<string>
}

/** The state of an environment. */
interface EnvironmentState {
  /** The reason of its end; '' while there is none. */
  why: string
  isReady: boolean
  isOver: boolean
  idleSince: number
  /** The id of the current or last call. */
  id: string
  /** Ends the current call. */
  settle?: ((outcome: InvocationOutcome) => void) | undefined
  /** Receives the response of the current call if it is streamed. */
  streamed?: OnStreamedAnswer | undefined
  /** Begins a call that arrived before the environment was ready. */
  begin?: (() => void) | undefined
}

/**
 * Starts an environment. Its process is suspended between calls, so that it does no background
 * work.
 */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const idleSince = performance.now()
  const state: EnvironmentState = { why: '', isReady: false, isOver: false, idleSince, id: '' }
  let signal = (_name: NodeJS.Signals): void => undefined
  const api = await startRuntimeApi({
    onReady: () => {
      state.isReady = true
      const { begin } = state
      state.begin = undefined
      if (begin !== undefined) begin()
      else if (state.settle === undefined) signal('SIGSTOP')
    },
    onReply: reply => settleReply(state, reply),
    onStreamedAnswer: answer => {
      if (state.streamed === undefined) answer.abandon()
      else state.streamed(answer)
    },
    onInitFailure: why => void (state.why ||= `failed to load: ${why}`),
  })
  const started = startEnvironmentProcess(options, api.address)
  signal = started.signal
  const kill = (why: string): void => {
    state.why ||= why
    signal('SIGKILL')
  }
  const slow = setTimeout(() => {
    if (!state.isReady) kill('was not ready in time')
  }, cloudLimits.initMs).unref()
  const gone = started.gone.then(found => {
    clearTimeout(slow)
    state.isOver = true
    state.why ||= found
    api.close()
    state.settle?.({ kind: 'died', why: state.why })
    return state.why
  })
  const invoke: Environment['invoke'] = (event, limitMs, streamed) => {
    if (state.isOver) return Promise.resolve({ kind: 'died', why: state.why })
    let late: NodeJS.Timeout | undefined
    // The time limit of a call starts when the environment can begin it.
    const begin = (): void => {
      late = setTimeout(() => kill(`exceeded its time limit of ${limitMs} ms`), limitMs)
      const deadlineMs = Date.now() + limitMs
      signal('SIGCONT')
      state.id = randomUUID()
      api.invoke({ id: state.id, arn: options.arn, deadlineMs, event: JSON.stringify(event) })
    }
    state.streamed = streamed
    return new Promise<InvocationOutcome>(resolve => {
      state.settle = resolve
      if (state.isReady) begin()
      else state.begin = begin
    }).finally(() => clearTimeout(late))
  }
  const isBusy = (): boolean => state.settle !== undefined
  return { pid: started.pid, isBusy, idleSince: () => state.idleSince, kill, gone, invoke }
}

function settleReply(state: EnvironmentState, reply: RuntimeReply): void {
  // A call with an abandoned response may report its end after the next one has begun.
  if (reply.id !== state.id) return
  const { settle } = state
  state.settle = undefined
  state.idleSince = performance.now()
  if (reply.kind === 'answered') settle?.({ kind: 'answered', json: reply.json })
  else settle?.({ kind: 'failed', why: reply.why })
}
