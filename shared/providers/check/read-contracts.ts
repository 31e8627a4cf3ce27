import { status } from '@grpc/grpc-js'
import { isList, isMap, type PropertyValue } from '../../values/value.ts'
import { ProviderError } from '../provider-error.ts'
import type { ReadResult } from '../provider.ts'
import { missingResourceId } from '../terraform/mapping/resource-names.ts'
import {
  describeDiff,
  diffLiveObject,
  type LiveObject,
  readLiveObject,
  type TypeContext,
} from './check-context.ts'
import {
  listChangedProperties,
  listLostSecrets,
  quoteNames,
  toPlainProperties,
} from './compare-properties.ts'
import {
  bothProtocols,
  type Contract,
  type ContractOutcome,
  failIf,
  fail,
  exempt,
  passed,
  warn,
} from './contract.ts'

const source = 'docs/spec/provider-protocol.md#read'
const common = { source, severity: 'error', protocols: bothProtocols } as const

/** The contracts of Read: refresh and import. */
export const readContracts: readonly Contract<TypeContext>[] = [
  {
    ...common,
    id: 'read',
    title: 'a refresh of the new object finds no change',
    remedy: 'Return from Read the same values in the same form as from Create.',
    run: refreshCreated,
  },
  {
    ...common,
    id: 'settled-after-read',
    title: 'the refreshed object does not differ from its configuration',
    remedy: 'Return inputs and outputs from Read that Diff accepts as unchanged.',
    async run(context) {
      const { inputs: checked } = context.requireFact('created')
      context.requireFact('emptyDiff')
      const { id, inputs = checked, outputs = new Map() } = context.requireFact('readResult')
      const object = { id, inputs, outputs }
      const change = describeDiff(await diffLiveObject(context, object, checked))
      return failIf(change === undefined ? undefined : `the diff has ${change}`)
    },
  },
  {
    ...common,
    id: 'read-secrets',
    title: 'a refresh keeps secret values secret',
    source: 'docs/spec/provider-protocol.md#re-applying-secretness',
    remedy: 'Mark what was secret in the old state as secret in the result of Read.',
    run(context) {
      const { outputs = new Map() } = context.requireFact('readResult')
      const lost = listLostSecrets(context.requireFact('created').outputs, outputs)
      return failIf(lost.length === 0 ? undefined : `${quoteNames(lost)} lost the secret mark`)
    },
  },
  {
    ...common,
    id: 'import',
    title: 'an import by the id returns the same object (a warning if it is refused)',
    remedy: 'Read the whole object from its id alone, and derive the inputs from it.',
    run: importCreated,
  },
  {
    ...common,
    id: 'import-missing',
    title: 'an import of a missing object returns no object (a warning if it returns one)',
    remedy: 'Return an empty id or an error when the id names no object.',
    run: importMissing,
  },
]

async function refreshCreated(context: TypeContext): Promise<ContractOutcome> {
  const created = context.requireFact('created')
  const result = await readIfImplemented(context, created)
  if (result === undefined) return exempt('the provider does not implement Read')
  const flaw = describeRead(created, result)
  if (flaw !== undefined) return fail(flaw)
  context.provideFacts({ readResult: result })
  return passed
}

/** Describes how the result of Read differs from its object. Returns undefined if it does not. */
export function describeRead(object: LiveObject, result: ReadResult): string | undefined {
  if (result.id === '' || result.outputs === undefined)
    return `Read does not find the object '${object.id}'`
  if (result.id !== object.id) return `Read returns the id '${result.id}' instead of '${object.id}'`
  if (result.initErrors.length > 0)
    return `Read reports an unhealthy object: ${result.initErrors.join('; ')}`
  const differences = listChangedProperties(object.outputs, result.outputs)
  return differences.length === 0
    ? undefined
    : `Read returns other values of ${quoteNames(differences)}`
}

async function readIfImplemented(
  context: TypeContext,
  object: LiveObject,
): Promise<ReadResult | undefined> {
  try {
    return await readLiveObject(context, object)
  } catch (thrown) {
    if (thrown instanceof ProviderError && thrown.code === status.UNIMPLEMENTED) return undefined
    throw thrown
  }
}

function importById(context: TypeContext, id: string): Promise<ReadResult> {
  const request = { ...context.identity, id, inputs: undefined, outputs: undefined }
  return context.getProvider().read({ ...request, timeoutSeconds: 0 })
}

async function importCreated(context: TypeContext): Promise<ContractOutcome> {
  const created = context.requireFact('created')
  context.requireFact('readResult')
  if (created.id === missingResourceId) return exempt('objects of this type have no id')
  const result = await importOrRefuse(context, created.id)
  if ('kind' in result) return result
  const { id, inputs, outputs } = result
  if (id === '' || outputs === undefined)
    return fail(`the import does not find the object '${created.id}'`)
  if (inputs === undefined) return exempt('the provider does not return inputs from Read')
  if (id !== created.id) return fail(`the import returns the id '${id}' instead of '${created.id}'`)
  const imported = toPlainProperties(outputs)
  const differences = listChangedProperties(created.outputs, outputs).filter(
    name => !isEmptyValue(imported.get(name)),
  )
  if (differences.length > 0)
    return fail(`the import returns other values of ${quoteNames(differences)}`)
  // Without `emptyDiff`, the diff after the creation had a change, which would appear here again.
  if (context.findFact('emptyDiff') === undefined) return passed
  const diff = await diffLiveObject(context, { id, inputs, outputs }, created.inputs)
  // An import returns no write-only values, so they count as changed and may require a replacement.
  const hasWriteOnly = [...context.type.inputs].some(
    ([name, { isWriteOnly }]) => isWriteOnly && created.inputs.has(name),
  )
  const isReplaced = diff.changes !== 'none' && diff.replaceKeys.length > 0 && !hasWriteOnly
  return failIf(isReplaced ? `after the import, the diff has ${describeDiff(diff)}` : undefined)
}

/** Imports an object. The refusal of an import is a warning, as types need not support it. */
async function importOrRefuse(
  context: TypeContext,
  id: string,
): Promise<ReadResult | ContractOutcome> {
  try {
    return await importById(context, id)
  } catch (thrown) {
    if (!(thrown instanceof ProviderError) || thrown.status === 'lost') throw thrown
    return warn(`the import is refused: ${thrown.message}`)
  }
}

/** Reports whether a value is absent, or a collection without elements. */
function isEmptyValue(value: PropertyValue | undefined): boolean {
  if (isMap(value)) return value.size === 0
  return isList(value) ? value.length === 0 : (value ?? null) === null
}

async function importMissing(context: TypeContext): Promise<ContractOutcome> {
  const created = context.requireFact('created')
  context.requireFact('readResult')
  if (created.id === missingResourceId) return exempt('objects of this type have no id')
  const missingId = `${created.id}-missing`
  try {
    const { id, outputs } = await importById(context, missingId)
    const isFound = id !== '' && outputs !== undefined
    return isFound ? warn(`the import of the id '${missingId}' returns an object`) : passed
  } catch (thrown) {
    if (!(thrown instanceof ProviderError) || thrown.status === 'lost') throw thrown
    return passed
  }
}
