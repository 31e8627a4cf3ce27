import type { EventSink } from '../../shared/engine/events/event.ts'
import { createError } from '../../shared/errors/error.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { RemoteApi } from '../../local/engine-port.ts'
import { errorLineOf } from '../operations/error-line.ts'
import { formatElapsed } from '../display/format-elapsed.ts'

/** The API, and the signal that aborts when the user interrupts the verification. */
export interface RemoteRunDeps {
  readonly remote: RemoteApi
  readonly signal: AbortSignal
}

/** Time in which a deployment that was stopped must end. */
const stopLimitMs = 60_000

/**
 * Runs a deployment to its end. Stops it after `limitMs` and at an interruption. Throws
 * DEPLOYMENT_FAILED with the first error of the deployment, DEPLOYMENT_CANCELLED at an
 * interruption, and the errors of the API.
 */
export async function runRemotely(
  { remote, signal }: RemoteRunDeps,
  {
    stack,
    archive,
    command,
    limitMs,
  }: {
    readonly stack: StackId
    readonly archive: string
    readonly command: 'up' | 'destroy'
    readonly limitMs: number
  },
): Promise<void> {
  throwIfInterrupted(signal)
  let firstError: string | undefined
  const emit: EventSink['emit'] = event => {
    if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'error')
      firstError ??= errorLineOf(event.diagnosticEvent.message)
  }
  const options = { command, message: 'antichain platform verify' }
  const request = { dryRun: false, archive, options }
  const running = await remote.deploy(stack, request, { emit })
  const end = await awaitWithLimit(running.done, limitMs, signal)
  if (end === undefined) {
    running.terminate()
    await awaitWithLimit(running.done, stopLimitMs).catch(() => undefined)
    throwIfInterrupted(signal)
    throw createError(
      'DEPLOYMENT_FAILED',
      `the ${command} did not end within ${formatElapsed(limitMs)}`,
    )
  }
  if (end.result !== 'succeeded')
    throw createError(
      'DEPLOYMENT_FAILED',
      `the ${command} ${end.result}: ${firstError ?? 'no error'}`,
    )
}

/** Throws DEPLOYMENT_CANCELLED if the user has interrupted the verification. */
export function throwIfInterrupted(signal: AbortSignal): void {
  if (signal.aborted) throw createError('DEPLOYMENT_CANCELLED', 'the verification was interrupted')
}

/** Returns the value of a promise, or undefined after a time limit or an interruption. */
async function awaitWithLimit<Value>(
  done: Promise<Value>,
  limitMs: number,
  signal?: AbortSignal,
): Promise<Value | undefined> {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>()
  const stop = (): void => resolve(undefined)
  const timer = setTimeout(stop, limitMs)
  signal?.addEventListener('abort', stop)
  try {
    return await Promise.race([done, stopped])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
