import type { MonitorServer } from '../monitor/monitor-server.ts'
import type { ProgramHost, ProgramRun, RunningProgram } from '../../programs/program.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { Generator } from '../generator/generator.ts'

/** The result of a program's part of a deployment. */
export interface ProgramPart {
  /** Whether the program registered everything and nothing failed, so that deletes may follow. */
  readonly isClean: boolean
  /** Answers the waiting program and waits for its exit. Returns false when it failed after all. */
  readonly finish: () => Promise<boolean>
}

/** The dependencies of running a program. `aborted` resolves when the deployment ends early. */
export interface ProgramPartDeps {
  readonly host: ProgramHost
  readonly run: ProgramRun
  readonly monitor: MonitorServer
  readonly generator: Generator
  readonly emitter: StepEmitter
  readonly aborted: Promise<void>
  readonly isAborted: () => boolean
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Time that a program has to exit after a silent stop, in ms. */
const leaveWithinMs = 5_000

/**
 * Runs the program until it registers nothing more: it signals this, it exits, or the deployment
 * ends early. A program that failed half-way looks as if it had removed resources, so only a clean
 * end allows deletes. Source: docs/spec/programs.md#end-of-a-program,
 * docs/spec/programs.md#signal-and-wait-for-shutdown.
 */
export async function runProgram(deps: ProgramPartDeps): Promise<ProgramPart> {
  const { emitter, monitor, generator } = deps
  const program = await deps.host.run(deps.run, (line, stream) => {
    // After the abort, the SDK prints stack traces of its closed connections, which do not help the
    // user.
    if (stream === 'stderr' && deps.isAborted()) return
    emitter.report(stream === 'stdout' ? 'info' : 'info#err', `${line}\n`)
  })
  let failure: string | undefined
  let isOver = false
  const exited = program.ended.then(end => {
    isOver = true
    failure = end.error ?? (end.bail ? '' : undefined)
    return end
  })
  await Promise.race([exited, monitor.signalled, deps.aborted])
  if (deps.isAborted()) {
    // The hooks of running operations need the program.
    await monitor.hooks.waitUntilSettled()
    monitor.abort()
    await waitForExit(deps, program)
    await generator.waitUntilSettled()
    return { isClean: false, finish: () => Promise.resolve(false) }
  }
  if (isOver && failure !== undefined) {
    reportProgramFailure(emitter, failure)
    // Requests from before the failure are still executed and recorded.
    await generator.waitUntilSettled()
    return { isClean: false, finish: () => Promise.resolve(false) }
  }
  await Promise.race([generator.waitUntilSettled(), deps.aborted])
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
      const wasOver = isOver
      const end = deps.isAborted() ? await waitForExit(deps, program) : await exited
      if (deps.isAborted()) return false
      if (end?.error === undefined && end?.bail !== true) return true
      if (!wasOver) reportProgramFailure(emitter, failure ?? '')
      return false
    },
  }
}

/** Waits for a program that is being stopped, and kills it when it does not exit in time. */
async function waitForExit(
  { pause }: Pick<ProgramPartDeps, 'pause'>,
  program: RunningProgram,
): Promise<undefined> {
  const waiting = new AbortController()
  const hasExited = await Promise.race([
    program.ended.then(() => true),
    pause(leaveWithinMs, waiting.signal).then(() => false),
  ])
  waiting.abort()
  if (!hasExited) await program.stop()
  return undefined
}

function reportProgramFailure(emitter: StepEmitter, failure: string): void {
  if (failure !== '') emitter.report('error', `an unhandled error occurred: ${failure}`)
}
