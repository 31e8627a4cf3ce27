import type { MonitorServer } from '../monitor/monitor-server.ts'
import type { ProgramHost, ProgramInput, RunningProgram } from '../../programs/program.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { Generator } from '../generator/generator.ts'

/** The result of a program that registers nothing more, and may wait for the permission to exit. */
export interface ProgramResult {
  /**
   * Whether the program signalled that it registers nothing more, or exited without an error. False
   * if the deployment ended early. Deletes may follow only if the value is true.
   */
  readonly isClean: boolean
  /**
   * Lets the waiting program exit, and waits for its exit. Returns false when the program failed or
   * the deployment ended early.
   */
  readonly finish: () => Promise<boolean>
}

/** The dependencies of running a program. `whenAborted` resolves when the deployment ends early. */
export interface ProgramRunDeps {
  readonly host: ProgramHost
  readonly programInput: ProgramInput
  readonly monitor: MonitorServer
  readonly generator: Generator
  readonly emitter: StepEmitter
  readonly whenAborted: Promise<void>
  readonly isAborted: () => boolean
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Time in which a program must exit after an early end of the deployment, in ms. */
const exitTimeoutMs = 5_000

/**
 * Runs the program until it signals that it registers nothing more, until it exits, or until the
 * deployment ends early. A failed program may not have registered all its resources. So deletes are
 * allowed only after a clean end. Source: docs/spec/programs.md#end-of-a-program,
 * docs/spec/programs.md#signal-and-wait-for-shutdown.
 */
export async function runProgram(deps: ProgramRunDeps): Promise<ProgramResult> {
  const { emitter, monitor, generator } = deps
  const program = await deps.host.run(deps.programInput, (line, stream) => {
    // After an abort, the SDK prints stack traces of its closed connections, which are of no use to
    // the user.
    if (stream === 'stderr' && deps.isAborted()) return
    emitter.report(stream === 'stdout' ? 'info' : 'info#err', `${line}\n`)
  })
  // '': the program has reported its error by itself.
  let failure: string | undefined
  let hasEnded = false
  const exit = program.programEnd.then(end => {
    hasEnded = true
    failure = end.error ?? (end.hasReportedError ? '' : undefined)
    return end
  })
  await Promise.race([exit, monitor.whenSignalled, deps.whenAborted])
  if (deps.isAborted()) {
    // The hooks of running operations need the program.
    await monitor.hooks.waitUntilSettled()
    monitor.abort()
    await waitForExit(deps, program)
    await generator.waitUntilSettled()
    return { isClean: false, finish: () => Promise.resolve(false) }
  }
  if (hasEnded && failure !== undefined) {
    reportProgramFailure(emitter, failure)
    // Calls that the program made before the failure are still executed and recorded.
    await generator.waitUntilSettled()
    return { isClean: false, finish: () => Promise.resolve(false) }
  }
  await Promise.race([generator.waitUntilSettled(), deps.whenAborted])
  const isClean = !deps.isAborted()
  if (!isClean) {
    await monitor.hooks.waitUntilSettled()
    monitor.abort()
  }
  return {
    isClean,
    async finish() {
      await monitor.hooks.waitUntilSettled()
      if (deps.isAborted()) monitor.abort()
      monitor.release()
      // An abort can also occur during this wait, and the program may never exit by itself.
      const abortedExit = deps.whenAborted.then(() => {
        if (hasEnded) return undefined
        monitor.abort()
        return waitForExit(deps, program)
      })
      const end = await Promise.race([exit, abortedExit])
      if (deps.isAborted()) {
        await abortedExit
        return false
      }
      if (end?.error === undefined && end?.hasReportedError !== true) return true
      reportProgramFailure(emitter, failure ?? '')
      return false
    },
  }
}

/** Waits for a program that is being stopped, and kills it when it does not exit in time. */
async function waitForExit(
  { pause }: Pick<ProgramRunDeps, 'pause'>,
  program: RunningProgram,
): Promise<undefined> {
  const pauseAbort = new AbortController()
  const hasExited = await Promise.race([
    program.programEnd.then(() => true),
    pause(exitTimeoutMs, pauseAbort.signal).then(() => false),
  ])
  pauseAbort.abort()
  if (!hasExited) await program.stop()
  return undefined
}

function reportProgramFailure(emitter: StepEmitter, failure: string): void {
  if (failure !== '') emitter.report('error', `an unhandled error occurred: ${failure}`)
}
