import type { GeneratorContext } from '../generator/context.ts'
import type { StepRunner } from '../generator/step-runner.ts'
import type { CommandRun } from './command-run.ts'
import { runProgramPhase } from './program-phase.ts'

/** A program that runs again only to serve its hooks. */
export interface ServedHooks {
  /**
   * Waits until the program has registered everything again, and ends it. Returns false when it
   * failed.
   */
  readonly finish: () => Promise<boolean>
}

/**
 * Runs a program again that ended in an earlier generator run, for the hooks of pending deletes. No
 * further decisions are made: its registrations are answered from the records. A registration
 * without a record is never answered. Source: docs/spec/step-execution.md#hooks.
 */
export function serveHooks(run: CommandRun, ctx: GeneratorContext): ServedHooks {
  const stuck = Promise.withResolvers<void>()
  const refuseDecision = (): Promise<never> => {
    stuck.resolve()
    return new Promise(() => undefined)
  }
  const runner: StepRunner = {
    ...ctx.ports.runner,
    run: refuseDecision,
    settle: refuseDecision,
    recordOutputs: (target, state) => Promise.resolve({ state, ref: target.ref }),
  }
  const phase = runProgramPhase(run, { ...ctx, ports: { ...ctx.ports, runner } })
  // A lookup of a hook waits as long as the program may still register it.
  run.monitor.hooks.awaitNames(Promise.race([phase, stuck.promise]))
  phase.catch(() => undefined)
  return {
    async finish() {
      const ended = await Promise.race([phase, stuck.promise.then(() => 'stuck' as const)])
      if (ended === 'stuck') {
        run.emitter.report(
          'warning',
          'stopped the program: its registrations differ from those of the previous run',
        )
        run.monitor.release()
        return true
      }
      return ended !== undefined && (await ended.part.finish())
    },
  }
}
