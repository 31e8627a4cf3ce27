import { providerUrnOf } from '../../../names/provider-reference.ts'
import { stackType, urnPartsOf, type Urn } from '../../../names/urn.ts'
import { type Claim, emptyClaim, unionOfClaims } from '../../../records/claim.ts'
import type { Decision } from '../../../records/log.ts'
import { isJoinOrHook, type Operation } from '../../../records/operation.ts'
import { referencedUrnsOf } from '../../../state/referenced-urns.ts'
import type { StoredResource } from '../../../state/stored.ts'

/**
 * Returns the claim that decisions need. `operations`: those of the plan pages that the decisions
 * name. Outputs of components and of the root resource need no claim, because every program sets
 * them, and the publication merges them. The root resource itself needs none, because every
 * deployment settles it as `same`. States that the generator rewrites by itself, for example with a
 * changed source position, need no claim. Pure.
 */
export function claimOfDecisions(
  decisions: readonly Decision[],
  operations: readonly Operation[],
): Claim {
  let claim = emptyClaim
  const add = (operation: Operation, state: StoredResource | undefined): void => {
    claim = unionOfClaims(claim, claimOfOperation(operation, state))
  }
  for (const operation of operations) add(operation, operation.state)
  for (const decision of decisions)
    switch (decision.kind) {
      case 'registration':
        for (const operation of decision.operations) add(operation, operation.state)
        break
      case 'retried':
        add(decision.operation, decision.operation.state)
        break
      case 'settled':
        // Without a goal, the generator rewrote the state by itself, which needs no claim.
        if (decision.goal !== '' && !isUnchangedRoot(decision.operation))
          add(decision.operation, decision.state)
        break
      case 'outputs':
        if (decision.state.custom) {
          const { urn } = decision.state
          claim = unionOfClaims(claim, { changes: new Set([urn]), reads: new Set() })
        }
        break
      default:
    }
  return claim
}

function claimOfOperation(operation: Operation, state: StoredResource | undefined): Claim {
  if (isJoinOrHook(operation)) return emptyClaim
  const { urn, old, provider } = operation
  const providerUrn = providerUrnOf(provider)
  const providerUrns = providerUrn === undefined ? [] : [providerUrn]
  const oldUrns = old?.kind === 'base' ? [old.urn] : []
  const references = [...providerUrns, ...(state === undefined ? [] : referencedUrnsOf(state))]
  const ownUrns = [urn, ...oldUrns]
  // A `read` changes no object, so several deployments may read the same external resource. A read
  // that replaces a managed resource is a `read-replacement`, and claims the change.
  return operation.op === 'read'
    ? { changes: new Set(), reads: new Set([...ownUrns, ...references]) }
    : { changes: new Set(ownUrns), reads: new Set(references) }
}

/** Returns the base URNs of all resources that decisions rename. Pure. */
export function listRenamedUrns(
  decisions: readonly Decision[],
  operations: readonly Operation[],
): ReadonlySet<string> {
  const renamedUrns = new Set<string>()
  for (const { urn, old } of [...operations, ...decisions.flatMap(operationsOf)])
    if (old?.kind === 'base' && old.urn !== urn) renamedUrns.add(old.urn)
  return renamedUrns
}

function operationsOf(decision: Decision): readonly Operation[] {
  if (decision.kind === 'registration') return decision.operations
  return decision.kind === 'retried' || decision.kind === 'settled' ? [decision.operation] : []
}

function isUnchangedRoot({ op, urn }: Operation): boolean {
  return op === 'same' && isRoot(urn)
}

/** Reports whether a URN is that of a stack's root resource. */
function isRoot(urn: string): boolean {
  return urnPartsOf(urn as Urn).qualifiedType === stackType
}
