import type { GeneratorContext, StepRunner } from '../generator/context.ts'
import type { CommandRun } from './command-run.ts'
import { runProgramPhase } from './program-phase.ts'

/** A program that runs again only so that its hooks can be called. */
export interface ServedHooks {
  /** Awaits that it registered everything again, and ends it; false when it failed. */
  readonly finish: () => Promise<boolean>
}

/**
 * Runs a program again that ended in an earlier life, for the hooks of what is still to be deleted.
 * Nothing is decided any more: what it registers is answered from the records, and what they do not
 * have is not answered at all. Source: docs/spec/step-execution.md#hooks.
 */
export function serveHooks(run: CommandRun, ctx: GeneratorContext): ServedHooks {
  const stuck = Promise.withResolvers<void>()
  const refuseDecision = (): Promise<never> => {
    stuck.resolve()
    return new Promise(() => undefined)
  }
  const runner: StepRunner = {
    ...ctx.runner,
    run: refuseDecision,
    settle: refuseDecision,
    recordOutputs: (target, state) => Promise.resolve({ state, ref: target.ref }),
  }
  const phase = runProgramPhase(run, { ...ctx, runner })
  // Whoever needs a name waits for it as long as it may come.
  run.monitor.hooks.awaitNames(Promise.race([phase, stuck.promise]))
  phase.catch(() => undefined)
  return {
    async finish() {
      const ended = await Promise.race([phase, stuck.promise.then(() => 'stuck' as const)])
      if (ended === 'stuck') {
        run.emitter.report('warning', 'the program registers otherwise than before: it is ended')
        run.monitor.release()
        return true
      }
      return ended !== undefined && (await ended.part.finish())
    },
  }
}
