import type { Urn } from '../../../names/urn.ts'
import type { UrnSet } from '../../../names/urn-set.ts'
import type { ResourceState } from '../../../state/resource.ts'
import type { StepEmitter } from '../../events/step-emitter.ts'
import type { Scope } from './scope.ts'

/**
 * Reports whether each URN that a user named exists in the state or in the program. The URNs are
 * targets, excludes, or resources to replace. Each missing one is reported as an error (Pulumi's
 * diagnostic 2010 or 2011). A pattern that matches nothing is no error. Source:
 * docs/spec/step-generation.md#targets.
 */
export function areUrnsFound(
  { literals }: UrnSet,
  input: {
    readonly states: readonly ResourceState[]
    readonly isRegistered?: (urn: Urn) => boolean
    readonly emitter: Pick<StepEmitter, 'report'>
  },
): boolean {
  const { states, isRegistered = () => false, emitter } = input
  const missingUrns = findMissingLiterals(literals, states).filter(urn => !isRegistered(urn as Urn))
  for (const urn of missingUrns) {
    const hint = urn.includes('$') ? '' : ' Did you forget to escape $ in your shell?'
    emitter.report('error', `Target '${urn}' could not be found in the stack.${hint}`)
  }
  return missingUrns.length === 0
}

/**
 * Reports whether all targets and excludes exist in the state. The first missing one is reported as
 * an error.
 */
export function areTargetsInState(
  { targets, excludes }: Pick<Scope, 'targets' | 'excludes'>,
  states: readonly ResourceState[],
  emitter: Pick<StepEmitter, 'report'>,
): boolean {
  const [firstMissing] = findMissingLiterals([...targets.literals, ...excludes.literals], states)
  if (firstMissing !== undefined)
    emitter.report('error', `no resource named '${firstMissing}' found`)
  return firstMissing === undefined
}

function findMissingLiterals(
  literals: readonly string[],
  states: readonly ResourceState[],
): readonly string[] {
  if (literals.length === 0) return []
  const existingUrns = new Set<string>(states.map(({ urn }) => urn))
  return literals.filter(literal => !existingUrns.has(literal))
}
