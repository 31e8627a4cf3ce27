import type { Base } from '../deployment/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import type { Scope } from '../generator/scope.ts'
import { areInState, areKnown } from '../generator/unknown-targets.ts'
import type { Life } from './life.ts'

/**
 * Whether a command may begin by its targets and excludes: one that knows resources from the state
 * alone has them all there, and so has a refresh that goes before an update. Otherwise it is told.
 * `which`: the refresh that is to come. Source: docs/spec/step-generation.md#targets,
 * docs/spec/deployment.md#preparation.
 */
export function mayBegin(
  { request, emitter }: Pick<Life, 'request' | 'emitter'>,
  base: Base,
  about: { readonly scope: Scope; readonly which: 'all' | 'required' | undefined },
): boolean {
  const { scope, which } = about
  const states = base.snapshot.resources
  if (request.options.command !== 'up' && !areInState(scope, states, emitter)) return false
  if (which === undefined || states.length === 0) return true
  return (
    areKnown(scope.targets, { states, emitter }) && areKnown(scope.excludes, { states, emitter })
  )
}

/** Whether all that is to be replaced is in the state; it is asked before the program runs. */
export function areReplacesKnown({ scope, base, emitter }: GeneratorContext): boolean {
  return areKnown(scope.replaces, { states: base.snapshot.resources, emitter })
}

/** Whether all targets are in the state or were registered by a program that has ended. */
export function areTargetsKnown({ scope, base, sets, replay, emitter }: GeneratorContext): boolean {
  const recorded = new Set(replay?.urns())
  return areKnown(scope.targets, {
    states: base.snapshot.resources,
    isRegistered: urn => sets.seen.has(urn) || recorded.has(urn),
    emitter,
  })
}
