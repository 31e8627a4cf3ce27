import type { Base } from '../deployment/state/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import type { Scope } from '../generator/targets/scope.ts'
import { areTargetsInState, areUrnsKnown } from '../generator/targets/unknown-targets.ts'
import type { CommandRun } from './command-run.ts'

/**
 * Reports whether the targets and excludes allow a command to begin. A command that takes its
 * resources from the state requires that all of them exist there. So does a refresh before an
 * update. Unknown ones are reported. `which`: the refresh that follows. Source:
 * docs/spec/step-generation.md#targets, docs/spec/deployment.md#preparation.
 */
export function mayBegin(
  { request, emitter }: Pick<CommandRun, 'request' | 'emitter'>,
  base: Base,
  input: { readonly scope: Scope; readonly which: 'all' | 'required' | undefined },
): boolean {
  const { scope, which } = input
  const states = base.snapshot.resources
  if (request.options.command !== 'up' && !areTargetsInState(scope, states, emitter)) return false
  if (which === undefined || states.length === 0) return true
  return (
    areUrnsKnown(scope.targets, { states, emitter }) &&
    areUrnsKnown(scope.excludes, { states, emitter })
  )
}

/**
 * Reports whether all resources to replace are in the state. It is checked before the program runs.
 */
export function areReplacesKnown({ input, ports }: GeneratorContext): boolean {
  const { scope, base } = input
  const { emitter } = ports
  return areUrnsKnown(scope.replaces, { states: base.snapshot.resources, emitter })
}

/**
 * Reports whether all targets are in the state or were registered by the program, which has ended.
 */
export function areTargetsKnown({ input, ports }: GeneratorContext): boolean {
  const { scope, base, sets } = input
  const { replay, emitter } = ports
  const recorded = new Set(replay?.recordedUrns())
  return areUrnsKnown(scope.targets, {
    states: base.snapshot.resources,
    isRegistered: urn => sets.registered.has(urn) || recorded.has(urn),
    emitter,
  })
}
