import type { GeneratorContext } from '../generator/context.ts'
import type { StepRunner } from '../generator/step-runner.ts'
import type { CommandRun } from './command-run.ts'
import { runProgramPhase } from './program-phase.ts'

/** A program that runs again only to serve its hooks. */
export interface HookService {
  /**
   * Waits until the program has registered everything again, or until a registration differs from
   * the records. Then lets the program exit. Returns false when the program failed.
   */
  readonly finish: () => Promise<boolean>
}

/**
 * Runs the program again after its end in an earlier generator run, because pending deletes need
 * its hooks. Its registrations are answered from records and unchanged states. A registration that
 * requires a new decision is never answered. Source: docs/spec/step-execution.md#hooks.
 */
export function serveHooks(run: CommandRun, ctx: GeneratorContext): HookService {
  const divergence = Promise.withResolvers<void>()
  const refuseDecision = (): Promise<never> => {
    divergence.resolve()
    return new Promise(() => undefined)
  }
  const runner: StepRunner = {
    ...ctx.ports.runner,
    run: refuseDecision,
    settle: refuseDecision,
    recordOutputs: (target, state) => Promise.resolve({ state, ref: target.ref }),
  }
  const phase = runProgramPhase(run, { ...ctx, ports: { ...ctx.ports, runner } })
  // A hook that is not registered yet is awaited until the program has registered everything or
  // diverges from the records.
  run.monitor.hooks.awaitNames(Promise.race([phase, divergence.promise]))
  // `finish` reports a rejection. Until then, the rejection must not count as unhandled.
  phase.catch(() => undefined)
  return {
    async finish() {
      const result = await Promise.race([phase, divergence.promise.then(() => 'diverged' as const)])
      if (result === 'diverged') {
        run.emitter.report(
          'warning',
          'stopped the program: its registrations differ from those of the previous run',
        )
        run.monitor.release()
        return true
      }
      return result !== undefined && (await result.programResult.finish())
    },
  }
}
