import type { Base } from '../deployment/state/base.ts'
import type { GeneratorContext } from '../generator/context.ts'
import type { Scope } from '../generator/targets/scope.ts'
import { areTargetsInState, areUrnsFound } from '../generator/targets/missing-targets.ts'
import type { CommandRun } from './command-run.ts'

/**
 * Reports whether the targets and excludes allow a command to begin. For every command except `up`,
 * all of them must be in the state. The same holds if a refresh comes first, unless the state is
 * empty. Missing ones are reported as errors. `refreshSelection`: the states that are refreshed
 * first, undefined for none. Source:
 * docs/spec/step-generation.md#targets, docs/spec/deployment.md#preparation.
 */
export function canBeginWithTargets(
  { request, emitter }: Pick<CommandRun, 'request' | 'emitter'>,
  base: Base,
  input: { readonly scope: Scope; readonly refreshSelection: 'all' | 'required' | undefined },
): boolean {
  const { scope, refreshSelection } = input
  const states = base.snapshot.resources
  if (request.options.command !== 'up' && !areTargetsInState(scope, states, emitter)) return false
  if (refreshSelection === undefined || states.length === 0) return true
  return (
    areUrnsFound(scope.targets, { states, emitter }) &&
    areUrnsFound(scope.excludes, { states, emitter })
  )
}

/**
 * Reports whether all resources to replace are in the state. Each missing one is reported as an
 * error. Called before the program runs.
 */
export function areReplacesFound({ input, ports }: GeneratorContext): boolean {
  const { scope, base } = input
  const { emitter } = ports
  return areUrnsFound(scope.replaces, { states: base.snapshot.resources, emitter })
}

/**
 * Reports whether each target is in the state or was registered by the program. Each missing target
 * is reported as an error. Called after the program has ended.
 */
export function areTargetsFound({ input, ports }: GeneratorContext): boolean {
  const { scope, base, sets } = input
  const { replay, emitter } = ports
  const recordedUrns = new Set(replay?.recordedUrns())
  return areUrnsFound(scope.targets, {
    states: base.snapshot.resources,
    isRegistered: urn => sets.registeredUrns.has(urn) || recordedUrns.has(urn),
    emitter,
  })
}
