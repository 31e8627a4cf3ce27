import { randomUUID } from 'node:crypto'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { type EnvironmentOptions, startEnvironmentProcess } from './environment-process.ts'
import { type RuntimeReply, startRuntimeApi, type StreamedAnswer } from './runtime-api.ts'

/** How a call of a function ended. `json`: what it answered. */
export type InvocationOutcome =
  | { readonly kind: 'answered'; readonly json: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** The environment is gone. */
  | { readonly kind: 'died'; readonly why: string }

/** Takes an answer that is sent piece by piece. */
export type OnStreamedAnswer = (answer: StreamedAnswer) => void

/** A process that runs a function, one call at a time, as Lambda runs it. */
export interface Environment {
  readonly pid: number
  /**
   * One at a time. Never rejects. An answer that is streamed is handed to `streamed` as it begins,
   * and must be read there, or left; where nobody takes it, it is left at once.
   */
  readonly invoke: (
    event: unknown,
    limitMs: number,
    streamed?: OnStreamedAnswer,
  ) => Promise<InvocationOutcome>
  readonly isBusy: () => boolean
  /** Since when it has had nothing to do, in ms of the process's clock. */
  readonly idleSince: () => number
  /** Kills it with its group; whoever waits for an answer is told `why`. */
  readonly kill: (why: string) => void
  /** Resolves when it is gone, with why. */
  readonly gone: Promise<string>
}

/** What is known of an environment. */
interface EnvironmentState {
  /** Why it was ended, or ended; '' as long as nobody had a reason. */
  why: string
  isReady: boolean
  isOver: boolean
  idleSince: number
  /** The call that it has, or had last. */
  id: string
  /** Ends the call that it has. */
  settle?: ((outcome: InvocationOutcome) => void) | undefined
  /** Takes the answer of the call that it has, when that is streamed. */
  streamed?: OnStreamedAnswer | undefined
  /** Begins a call that came before it was ready. */
  begin?: (() => void) | undefined
}

/** Starts an environment. Between calls its process is stopped, so nothing goes on in the dark. */
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
    onInitFailure: why => void (state.why ||= `cannot be loaded: ${why}`),
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
    // The time of a call counts from when the environment can begin with it.
    const begin = (): void => {
      late = setTimeout(() => kill(`was over its limit of ${limitMs} ms`), limitMs)
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
  // One whose answer nobody read may still say how it ended, when the next has begun.
  if (reply.id !== state.id) return
  const { settle } = state
  state.settle = undefined
  state.idleSince = performance.now()
  if (reply.kind === 'answered') settle?.({ kind: 'answered', json: reply.json })
  else settle?.({ kind: 'failed', why: reply.why })
}
