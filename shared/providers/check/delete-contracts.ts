import { ProviderError } from '../provider-error.ts'
import {
  checkTypeInputs,
  deleteLiveObject,
  describeDiff,
  diffLiveObject,
  readLiveObject,
  requireCurrentObject,
  type TypeContext,
} from './check-context.ts'
import { listChangedProperties } from './compare-properties.ts'
import {
  bothProtocols,
  type Contract,
  type ContractInfo,
  type ContractOutcome,
  failIf,
  passed,
  warn,
} from './contract.ts'

const source = 'docs/spec/provider-protocol.md#delete'
const common = { source, severity: 'error', protocols: bothProtocols } as const

/** The number of calls of each kind that run at the same time. */
const concurrentCalls = 8

/** The contracts of concurrent calls and of Delete. */
export const deleteContracts: readonly Contract<TypeContext>[] = [
  {
    ...common,
    id: 'concurrent',
    title: 'concurrent calls return what single calls return',
    source: 'docs/spec/provider-protocol.md#rpc-by-rpc',
    remedy: 'Protect shared state of the provider: the host makes many calls at the same time.',
    run: callConcurrently,
  },
  {
    ...common,
    id: 'delete',
    title: 'the object can be deleted',
    remedy: 'Delete the object, and return success only when it is gone.',
    run: deleteCreated,
  },
  {
    ...common,
    id: 'read-deleted',
    title: 'a refresh does not find the deleted object (a warning if it finds the object)',
    source: 'docs/spec/provider-protocol.md#read',
    remedy: 'Return an empty id from Read when the object does not exist.',
    async run(context) {
      const deleted = context.requireFact('deleted')
      context.requireFact('readResult')
      const { id, outputs } = await readLiveObject(context, deleted)
      const isFound = id !== '' && outputs !== undefined
      // Only a warning, because some objects exist only in the state, such as random values. Read
      // always finds these.
      return isFound ? warn(`Read still finds the object '${deleted.id}'`) : passed
    },
  },
  {
    ...common,
    id: 'delete-again',
    title: 'the deletion of an object that is gone succeeds',
    remedy: 'Return success from Delete when the object does not exist any more.',
    async run(context) {
      await deleteLiveObject(context, context.requireFact('deleted'))
      return passed
    },
  },
]

/** The contract of the clean-up, which follows `typeContracts` for each type. */
export const cleanUpContract: ContractInfo = {
  ...common,
  id: 'clean-up',
  title: 'every object of the check is deleted',
  remedy:
    'Delete the named objects by hand, and make Delete work for each of them, even a partly created one.',
}

async function callConcurrently(context: TypeContext): Promise<ContractOutcome> {
  const object = requireCurrentObject(context)
  context.requireFact('emptyDiff')
  const hasRead = context.findFact('readResult') !== undefined
  const calls = Array.from({ length: concurrentCalls }, async () => {
    const [checkResult, diff, readResult] = await Promise.all([
      checkTypeInputs(context, object.inputs, object.inputs),
      diffLiveObject(context, object, object.inputs),
      hasRead ? readLiveObject(context, object) : undefined,
    ])
    return (
      checkResult.failures.length > 0 ||
      listChangedProperties(checkResult.inputs, object.inputs).length > 0 ||
      describeDiff(diff) !== undefined ||
      (readResult !== undefined && readResult.id !== object.id)
    )
  })
  const differs = (await Promise.all(calls)).some(Boolean)
  return failIf(differs ? `${concurrentCalls} concurrent calls had other results` : undefined)
}

async function deleteCreated(context: TypeContext): Promise<ContractOutcome> {
  const object = requireCurrentObject(context)
  try {
    await deleteLiveObject(context, object)
  } catch (thrown) {
    if (thrown instanceof ProviderError && thrown.partialResource !== undefined)
      context.track({ ...object, outputs: thrown.partialResource.outputs })
    throw thrown
  }
  context.untrack(object.id)
  context.provideFacts({ deleted: object })
  return passed
}
