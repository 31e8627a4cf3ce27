import type { Urn } from '../../../names/urn.ts'
import type { UrnSet } from '../../../names/urn-set.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'
import type { Scope } from './scope.ts'

/**
 * Reports targets that name no resource of the state or the program as errors 2010 and 2011.
 * Patterns may match nothing. Returns true when there are none. Source:
 * docs/spec/step-generation.md#targets.
 */
export function areUrnsKnown(
  { literals }: UrnSet,
  input: {
    readonly states: readonly ResourceState[]
    readonly isRegistered?: (urn: Urn) => boolean
    readonly emitter: Pick<StepEmitter, 'report'>
  },
): boolean {
  const { states, isRegistered = () => false, emitter } = input
  const unknown = findUnknown(literals, states).filter(target => !isRegistered(target as Urn))
  for (const target of unknown) {
    const hint = target.includes('$') ? '' : ' Did you forget to escape $ in your shell?'
    emitter.report('error', `Target '${target}' could not be found in the stack.${hint}`)
  }
  return unknown.length === 0
}

/** Checks targets and excludes against the state alone; reports the first unknown one. */
export function areTargetsInState(
  { targets, excludes }: Pick<Scope, 'targets' | 'excludes'>,
  states: readonly ResourceState[],
  emitter: Pick<StepEmitter, 'report'>,
): boolean {
  const [first] = findUnknown([...targets.literals, ...excludes.literals], states)
  if (first !== undefined) emitter.report('error', `no resource named '${first}' found`)
  return first === undefined
}

function findUnknown(
  literals: readonly string[],
  states: readonly ResourceState[],
): readonly string[] {
  if (literals.length === 0) return []
  const known = new Set<string>(states.map(({ urn }) => urn))
  return literals.filter(literal => !known.has(literal))
}
