import { containsSecret, containsUnknown } from '../../values/special-values.ts'
import { ProviderError } from '../provider-error.ts'
import { outcomeOfRefusal } from './check-contracts.ts'
import { describeDiff, diffLiveObject, type TypeContext } from './check-context.ts'
import { listBrokenPromises, listLostSecrets, quoteNames } from './compare-properties.ts'
import {
  bothProtocols,
  type Contract,
  type ContractOutcome,
  failIf,
  fail,
  exempt,
  passed,
} from './contract.ts'

const source = 'docs/spec/provider-protocol.md#create'
const common = { source, severity: 'error', protocols: bothProtocols } as const

/** The contracts of a creation, and of the state that it returns. */
export const createContracts: readonly Contract<TypeContext>[] = [
  {
    ...common,
    id: 'create',
    title: 'the creation succeeds, and returns an id and known values',
    remedy: 'Return the id and all outputs of the new object, or one clear error.',
    run: createLiveObject,
  },
  {
    ...common,
    id: 'create-as-previewed',
    title: 'the new object has the values that the preview promised',
    remedy: 'In the preview, leave values unknown if only the creation decides them.',
    run(context) {
      const brokenPaths = listBrokenPromises(
        context.requireFact('previewOutputs'),
        context.requireFact('created').outputs,
      )
      return failIf(
        brokenPaths.length === 0 ? undefined : `the creation changed ${quoteNames(brokenPaths)}`,
      )
    },
  },
  {
    ...common,
    id: 'create-secrets',
    title: 'secret inputs and sensitive outputs are secret in the new state',
    source: 'docs/spec/provider-protocol.md#secrets-and-unknowns-at-the-provider-boundary',
    remedy:
      'Mark outputs as secret if the schema declares them secret, or if they come from secrets.',
    run: findPlainSecrets,
  },
  {
    ...common,
    id: 'settled-after-create',
    title: 'the new object does not differ from its configuration',
    source: 'docs/spec/provider-protocol.md#diff',
    remedy: 'Compare values in their normal form, and return them as the program wrote them.',
    async run(context) {
      const created = context.requireFact('created')
      const diff = await diffLiveObject(context, created, created.inputs)
      const change = describeDiff(diff)
      if (change !== undefined) return fail(`the diff has ${change}`)
      context.provideFacts({ emptyDiff: diff })
      return passed
    },
  },
  {
    ...common,
    id: 'diff-stable',
    title: 'a second diff returns the same',
    source: 'docs/spec/provider-protocol.md#diff',
    remedy: 'Derive the diff from the state and the inputs only.',
    async run(context) {
      const created = context.requireFact('created')
      context.requireFact('emptyDiff')
      const change = describeDiff(await diffLiveObject(context, created, created.inputs))
      return failIf(change === undefined ? undefined : `the second diff has ${change}`)
    },
  },
]

async function createLiveObject(context: TypeContext): Promise<ContractOutcome> {
  const inputs = context.requireFact('checkedInputs')
  context.requireFact('previewOutputs')
  try {
    const { id, outputs } = await context
      .getProvider()
      .create({ ...context.identity, inputs, timeoutSeconds: 0, preview: false })
    const object = { id, inputs, outputs }
    context.track(object)
    if (containsUnknown(outputs)) return fail('the outputs have unknown values')
    context.provideFacts({ created: object })
    return passed
  } catch (thrown) {
    if (!(thrown instanceof ProviderError)) throw thrown
    const { partialResource } = thrown
    if (partialResource !== undefined) {
      const { id, outputs } = partialResource
      context.track({ id, inputs: partialResource.inputs ?? inputs, outputs })
      return fail(`the object '${id}' was created only partly: ${thrown.message}`)
    }
    if (thrown.status === 'ok') return outcomeOfRefusal(context, thrown.message)
    return fail(`${thrown.message}. The object may exist: the clean-up cannot find it`)
  }
}

function findPlainSecrets(context: TypeContext): ContractOutcome {
  const { inputs, outputs } = context.requireFact('created')
  const secretNames = context.type.secretOutputs.filter(
    name => (outputs.get(name) ?? null) !== null,
  )
  const plainNames = secretNames.filter(name => !containsSecret(outputs.get(name)))
  const flawedNames = [...new Set([...plainNames, ...listLostSecrets(inputs, outputs)])]
  if (flawedNames.length > 0) return fail(`${quoteNames(flawedNames)} must be secret, and is not`)
  return secretNames.length > 0 || containsSecret(inputs)
    ? passed
    : exempt('neither the configuration nor the schema has a secret')
}
