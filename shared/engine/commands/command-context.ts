import type { OperationId } from '../../records/ids.ts'
import type { Base } from '../deployment/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { madeBefore } from '../deployment/recorded-end.ts'
import { lastTry } from '../deployment/recorded.ts'
import { createDeploymentRunner } from '../generator/deployment-runner.ts'
import { createReplay } from '../generator/deployment-replay.ts'
import { takenBy } from '../generator/planning.ts'
import type { Replay } from '../generator/replay.ts'
import { restore } from '../generator/restore.ts'
import type { CommandDeps } from './command-deps.ts'

/** What decisions against a base are made with; what earlier lives recorded is restored first. */
export function contextOf(
  deps: CommandDeps,
  base: Base,
): { readonly ctx: GeneratorContext; readonly replay: Replay | undefined } {
  const { recorded, life } = deps
  const given = new Map<string, number>()
  const runner = createDeploymentRunner({
    ...deps,
    isInBase: ref => base.snapshot.extensions[ref] !== undefined,
    nextCall(key) {
      const at = given.get(key) ?? 0
      given.set(key, at + 1)
      return { at, known: recorded?.answer(key, at) }
    },
  })
  const past =
    recorded === undefined
      ? undefined
      : { recorded, made: madeBefore(deps.before, recorded, deps.sealing) }
  const replay = past === undefined ? undefined : createReplay({ ...deps, ...past, base })
  const ctx = life.contextOf(base, runner, replay)
  const hasSucceeded = (id: OperationId): boolean =>
    deps.before.get(recorded === undefined ? id : lastTry(recorded, id))?.head.end?.verdict ===
    'succeeded'
  if (past !== undefined) {
    const { providers } = ctx
    restore(ctx.sets, past.recorded.decisions, { providers, hasSucceeded, made: past.made })
    for (const decision of past.recorded.decisions)
      ctx.planning.guard?.passOver(takenBy(decision, ctx.sets))
  }
  return { ctx, replay }
}
