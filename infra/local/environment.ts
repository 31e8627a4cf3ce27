import { randomUUID } from 'node:crypto'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { type EnvironmentAbout, startEnvironmentProcess } from './environment-process.ts'
import { type Reply, startRuntimeApi, type StreamedAnswer } from './runtime-api.ts'

/** How a call of a function ended. `json`: what it answered. */
export type Outcome =
  | { readonly kind: 'answered'; readonly json: string }
  | { readonly kind: 'failed'; readonly why: string }
  /** The environment is gone. */
  | { readonly kind: 'died'; readonly why: string }

/** Takes an answer that is sent piece by piece. */
export type Streamed = (answer: StreamedAnswer) => void

/** A process that runs a function, one call at a time, as Lambda runs it. */
export interface Environment {
  readonly pid: number
  /**
   * One at a time. Never rejects. An answer that is streamed is handed to `streamed` as it begins,
   * and must be read there, or left; where nobody takes it, it is left at once.
   */
  readonly invoke: (event: unknown, limitMs: number, streamed?: Streamed) => Promise<Outcome>
  readonly isBusy: () => boolean
  /** Since when it has had nothing to do, in ms of the process's clock. */
  readonly idleSince: () => number
  /** Kills it with its group; whoever waits for an answer is told `why`. */
  readonly kill: (why: string) => void
  /** Resolves when it is gone, with why. */
  readonly gone: Promise<string>
}

/** What is known of an environment. */
interface Standing {
  /** Why it was ended, or ended; '' as long as nobody had a reason. */
  why: string
  isReady: boolean
  isOver: boolean
  idleSince: number
  /** The call that it has, or had last. */
  id: string
  /** Ends the call that it has. */
  settle?: ((outcome: Outcome) => void) | undefined
  /** Takes the answer of the call that it has, when that is streamed. */
  streamed?: Streamed | undefined
  /** Begins a call that came before it was ready. */
  begin?: (() => void) | undefined
}

/** Starts an environment. Between calls its process is stopped, so nothing goes on in the dark. */
export async function startEnvironment(about: EnvironmentAbout): Promise<Environment> {
  const idleSince = performance.now()
  const now: Standing = { why: '', isReady: false, isOver: false, idleSince, id: '' }
  let signal = (_name: NodeJS.Signals): void => undefined
  const api = await startRuntimeApi({
    ready: () => {
      now.isReady = true
      const { begin } = now
      now.begin = undefined
      if (begin !== undefined) begin()
      else if (now.settle === undefined) signal('SIGSTOP')
    },
    replied: reply => replied(now, reply),
    streamed: answer => {
      if (now.streamed === undefined) answer.leave()
      else now.streamed(answer)
    },
    initFailed: why => void (now.why ||= `cannot be loaded: ${why}`),
  })
  const started = startEnvironmentProcess(about, api.address)
  signal = started.signal
  const kill = (why: string): void => {
    now.why ||= why
    signal('SIGKILL')
  }
  const slow = setTimeout(() => {
    if (!now.isReady) kill('was not ready in time')
  }, cloudLimits.initMs).unref()
  const gone = started.gone.then(found => {
    clearTimeout(slow)
    now.isOver = true
    now.why ||= found
    api.close()
    now.settle?.({ kind: 'died', why: now.why })
    return now.why
  })
  const invoke: Environment['invoke'] = (event, limitMs, streamed) => {
    if (now.isOver) return Promise.resolve({ kind: 'died', why: now.why })
    let late: NodeJS.Timeout | undefined
    // The time of a call counts from when the environment can begin with it.
    const begin = (): void => {
      late = setTimeout(() => kill(`was over its limit of ${limitMs} ms`), limitMs)
      const deadlineMs = Date.now() + limitMs
      signal('SIGCONT')
      now.id = randomUUID()
      api.give({ id: now.id, arn: about.arn, deadlineMs, event: JSON.stringify(event) })
    }
    now.streamed = streamed
    return new Promise<Outcome>(resolve => {
      now.settle = resolve
      if (now.isReady) begin()
      else now.begin = begin
    }).finally(() => clearTimeout(late))
  }
  const isBusy = (): boolean => now.settle !== undefined
  return { pid: started.pid, isBusy, idleSince: () => now.idleSince, kill, gone, invoke }
}

function replied(now: Standing, reply: Reply): void {
  // One whose answer nobody read may still say how it ended, when the next has begun.
  if (reply.id !== now.id) return
  const { settle } = now
  now.settle = undefined
  now.idleSince = performance.now()
  if (reply.kind === 'answered') settle?.({ kind: 'answered', json: reply.json })
  else settle?.({ kind: 'failed', why: reply.why })
}
