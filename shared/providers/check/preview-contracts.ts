import { containsUnknown } from '../../values/special-values.ts'
import { type PropertyMap, type PropertyValue, secretOf } from '../../values/value.ts'
import { ProviderError } from '../provider-error.ts'
import type { CreateResult } from '../provider.ts'
import {
  checkTypeInputs,
  previewCreate,
  readLiveObject,
  type TypeContext,
} from './check-context.ts'
import { outcomeOfRefusal, replaceByUnknowns } from './check-contracts.ts'
import { listChangedProperties, listLostSecrets, quoteNames } from './compare-properties.ts'
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

/** The contracts of previews of a creation. */
export const previewContracts: readonly Contract<TypeContext>[] = [
  {
    ...common,
    id: 'preview-create',
    title: 'the preview of a creation succeeds, and creates nothing',
    remedy: 'Plan the object in a preview without a call that changes anything, and return no id.',
    run: previewCreation,
  },
  {
    ...common,
    id: 'preview-stable',
    title: 'a second preview returns the same',
    remedy: 'Plan from the inputs only: leave values that change from call to call unknown.',
    async run(context) {
      const preview = context.requireFact('previewOutputs')
      const second = await previewCreate(context, context.requireFact('checkedInputs'))
      const differences = listChangedProperties(preview, second.outputs)
      return failIf(
        differences.length === 0 ? undefined : `the previews differ in ${quoteNames(differences)}`,
      )
    },
  },
  {
    ...common,
    id: 'preview-unknowns',
    title: 'a preview with unknown inputs succeeds, and promises no values for them',
    remedy: 'Return unknown inputs as unknown outputs, and skip checks that need their values.',
    async run(context) {
      context.requireFact('previewOutputs')
      const unknowns = replaceByUnknowns(context.requireFact('checkedInputs'))
      if (unknowns.size === 0) return exempt('the configuration has no properties')
      const { inputs } = await checkTypeInputs(context, unknowns)
      const { outputs } = await previewCreate(context, inputs)
      const known = [...unknowns.keys()].filter(
        name => (outputs.get(name) ?? null) !== null && !containsUnknown(outputs.get(name)),
      )
      return failIf(known.length === 0 ? undefined : `${quoteNames(known)} became known`)
    },
  },
  {
    ...common,
    id: 'preview-secrets',
    title: 'secret inputs stay secret in the check and in the preview',
    source: 'docs/spec/provider-protocol.md#secrets-and-unknowns-at-the-provider-boundary',
    remedy: 'Copy the secret marks of inputs to the properties that come from them.',
    run: previewSecrets,
  },
]

async function previewCreation(context: TypeContext): Promise<ContractOutcome> {
  const inputs = context.requireFact('checkedInputs')
  const result = await previewOrRefuse(context, inputs)
  if ('kind' in result) return result
  const { id, outputs } = result
  if (id !== '') {
    const existing = await readLiveObject(context, { id, inputs, outputs })
    if (existing.id !== '') {
      context.track({ id, inputs, outputs })
      return fail(`the preview created the object '${id}'`)
    }
  }
  context.provideFacts({ previewOutputs: outputs })
  return passed
}

/** Previews a creation. Returns the outcome of the contract if the provider refuses the inputs. */
async function previewOrRefuse(
  context: TypeContext,
  inputs: PropertyMap,
): Promise<CreateResult | ContractOutcome> {
  try {
    return await previewCreate(context, inputs)
  } catch (thrown) {
    if (!(thrown instanceof ProviderError) || thrown.status === 'lost') throw thrown
    return outcomeOfRefusal(context, thrown.message)
  }
}

async function previewSecrets(context: TypeContext): Promise<ContractOutcome> {
  context.requireFact('previewOutputs')
  const secrets = markTextsSecret(context.requireFact('checkedInputs'))
  if (secrets.size === 0) return exempt('the configuration has no text to mark as secret')
  const marked = new Map([...context.requireFact('checkedInputs'), ...secrets])
  const { inputs } = await checkTypeInputs(context, marked)
  const lostInCheck = listLostSecrets(secrets, inputs)
  if (lostInCheck.length > 0)
    return fail(`the check returned ${quoteNames(lostInCheck)} without the secret mark`)
  const { outputs } = await previewCreate(context, inputs)
  const lost = listLostSecrets(secrets, outputs)
  return failIf(
    lost.length === 0
      ? undefined
      : `the preview returned ${quoteNames(lost)} without the secret mark`,
  )
}

/** Returns the texts of inputs, marked as secret. Internal properties are left out. */
function markTextsSecret(inputs: PropertyMap): PropertyMap {
  return new Map(
    [...inputs].flatMap(([name, value]): readonly (readonly [string, PropertyValue])[] =>
      typeof value === 'string' && !name.startsWith('__') ? [[name, secretOf(value)]] : [],
    ),
  )
}
